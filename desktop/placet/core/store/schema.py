"""The tables as Peewee models, for queries that are built from parts. The migrations create them.

Models are bound to no database: several may be open at once, so each query runs through its `Connection`.
"""

from __future__ import annotations

from peewee import BooleanField, FloatField, IntegerField, Model, TextField


class Sessions(Model):
    id = TextField(primary_key=True)
    title = TextField()
    title_by_person = BooleanField()
    source = TextField()
    agent = TextField()
    interactive = BooleanField()
    ephemeral = BooleanField()
    run_context = TextField()
    model = TextField()
    pinned = BooleanField()
    archived = BooleanField()
    created = FloatField()
    last_activity = FloatField()
    owner_pid = IntegerField(null=True)
    owner_started = TextField()
    messages = IntegerField()
    turns = IntegerField()
    snippet = TextField()
    input_tokens = IntegerField()
    output_tokens = IntegerField()
    cost = FloatField(null=True)
    forked_from = TextField()
    origin = TextField()
    deleted = FloatField(null=True)


class Sources(Model):
    name = TextField(primary_key=True)
    session_id = TextField()


class ApprovalRules(Model):
    id = IntegerField(primary_key=True)
    body = TextField()

    class Meta:
        """Peewee's options."""

        table_name = "approval_rules"


class Approvals(Model):
    id = TextField(primary_key=True)
    session_id = TextField()
    created = FloatField()
    body = TextField()
    call_id = IntegerField()


class FileChanges(Model):
    id = IntegerField(primary_key=True)
    session_id = TextField()
    call_id = IntegerField(null=True)
    tool = TextField()
    path = TextField()
    before_digest = TextField()
    after_digest = TextField()
    state = TextField()
    created = FloatField()
    added = IntegerField()
    removed = IntegerField()
    reverts = IntegerField(null=True)
    conflict = TextField()
    found_digest = TextField()
    note = TextField()

    class Meta:
        """Peewee's options."""

        table_name = "file_changes"


class Providers(Model):
    name = TextField(primary_key=True)
    body = TextField()


class Models(Model):
    name = TextField(primary_key=True)
    provider = TextField()
    body = TextField()


class Settings(Model):
    key = TextField(primary_key=True)
    value = TextField()
