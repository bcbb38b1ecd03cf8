"""SQLite behind one thread: schema, migrations, repositories, search, blobs."""
