"""A to-do list in a text file: one task a line, finished ones begin with an x."""

from pathlib import Path

TASKS = Path(__file__).with_name("tasks.txt")


def parse(line):
    """Return whether the task is done, and its words."""
    if line[0] == "x":
        return True, line[1:].strip()
    return False, line.strip()


def load(path=TASKS):
    lines = path.read_text().splitlines()
    return [parse(line) for line in lines]


def summary(tasks):
    done = sum(1 for is_done, _ in tasks if is_done)
    return str(done) + " of " + str(len(tasks)) + " done"


if __name__ == "__main__":
    print(summary(load()))
