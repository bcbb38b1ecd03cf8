"""The command line: argument parsing, and nothing else.

Every verb is imported when it is called: `placet --version` must answer at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeAlias

from placet import __version__, garbage

USAGE = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"placet: {message} (placet --help shows all calls)\n")
        raise SystemExit(USAGE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one call; returns the exit code."""
    garbage.not_yet()
    given = sys.argv[1:] if arguments is None else arguments
    # Started from a menu there is nothing to parse, and making the parser would delay the window by 7 ms.
    options = _parser().parse_args(given) if given else argparse.Namespace(call=_window, workdir=None, session=None)
    call: Callable[[argparse.Namespace], int] = options.call
    try:
        return call(options)
    except KeyboardInterrupt:  # before the verb could listen for it
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="placet", description="A desktop agent that shows what it would change before it happens.")
    parser.add_argument("--version", action="version", version=f"placet {__version__}")
    parser.add_argument("--workdir", metavar="DIR", help="the folder to work in")
    parser.add_argument("--session", metavar="ID", help="open this session")
    parser.set_defaults(call=_window)
    verbs = parser.add_subparsers(metavar="VERB", parser_class=_Parser)
    _add_run(verbs)
    _add_resume(verbs)
    _add_sessions(verbs)
    _add_changes(verbs)
    _add_rules(verbs)
    _add_tic(verbs)
    _add_models(verbs)
    _add_doctor(verbs)
    return parser


_Verbs: TypeAlias = "argparse._SubParsersAction[_Parser]"


def _add_turn_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--approve", choices=("ask", "deny", "edits", "all"), default="ask", help="who decides")
    verb.add_argument(
        "--output", choices=("text", "json", "events"), default="text", help="what goes to standard output"
    )


def _add_run(verbs: _Verbs) -> None:
    verb = verbs.add_parser("run", help="one turn without a window")
    verb.add_argument("prompt", metavar="PROMPT", help="the message; - reads standard input")
    verb.add_argument("--workdir", metavar="DIR", default=argparse.SUPPRESS)
    which = verb.add_mutually_exclusive_group()
    which.add_argument("--session", metavar="ID", default=argparse.SUPPRESS, help="go on in this session")
    which.add_argument("--continue", dest="go_on", action="store_true", help="go on in the source's last session")
    verb.add_argument("--source", metavar="ID", default="cli")
    verb.add_argument("--model", metavar="NAME", default="")
    verb.add_argument("--agent", metavar="ID", default="")
    _add_turn_options(verb)
    verb.set_defaults(call=_run)


def _add_resume(verbs: _Verbs) -> None:
    verb = verbs.add_parser("resume", help="go on with an interrupted turn")
    verb.add_argument("session", metavar="SESSION")
    _add_turn_options(verb)
    verb.set_defaults(call=_resume)


def _add_list_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true")
    verb.add_argument("--page", type=_number, default=1)
    verb.add_argument("--per-page", type=_number, default=20)


def _number(text: str) -> int:
    """A number as the database knows them."""
    value = int(text)
    if not 1 <= value < 2**63:
        raise argparse.ArgumentTypeError("a number from 1 on")
    return value


def _add_sessions(verbs: _Verbs) -> None:
    sessions = verbs.add_parser("sessions", help="history").add_subparsers(metavar="VERB", required=True)
    listed = sessions.add_parser("list", help="newest activity first")
    listed.add_argument("--source", metavar="S", default="")
    _add_list_options(listed)
    listed.set_defaults(call=_sessions_list)
    shown = sessions.add_parser("show", help="one session")
    shown.add_argument("session", metavar="ID")
    shown.add_argument("--debug", action="store_true", help="with everything the model saw")
    shown.add_argument("--json", action="store_true")
    shown.set_defaults(call=_sessions_show)
    search = sessions.add_parser("search", help="all messages, arguments, results and paths")
    search.add_argument("text", metavar="TEXT")
    _add_list_options(search)
    search.set_defaults(call=_sessions_search)
    _add_keeping(sessions)


def _add_keeping(sessions: _Verbs) -> None:
    fork = sessions.add_parser("fork", help="a new session with the same history")
    fork.add_argument("session", metavar="ID")
    fork.add_argument("--at", metavar="MESSAGE", type=_number, help="up to a message of yours or the end of a turn")
    fork.add_argument("--json", action="store_true")
    fork.set_defaults(call=_sessions_fork)
    export = sessions.add_parser("export", help="write a session to a file; what looks like a credential is replaced")
    export.add_argument("session", metavar="ID")
    export.add_argument("--format", choices=("md", "html", "json"), required=True)
    export.add_argument("-o", dest="output", metavar="FILE", help="default: standard output")
    export.add_argument("--force", action="store_true", help="write over a file that exists")
    export.set_defaults(call=_sessions_export)
    imported = sessions.add_parser("import", help="bring exported sessions back")
    imported.add_argument("files", metavar="FILE", nargs="+")
    imported.add_argument("--json", action="store_true")
    imported.set_defaults(call=_sessions_import)
    delete = sessions.add_parser("delete", help="remove a session for good")
    delete.add_argument("session", metavar="ID")
    delete.set_defaults(call=_sessions_delete)


def _add_changes(verbs: _Verbs) -> None:
    changes = verbs.add_parser("changes", help="what was written, and undoing it")
    _add_changes_list_options(changes)
    changes.set_defaults(file="")
    below = changes.add_subparsers(metavar="VERB")
    listed = below.add_parser("list", help="newest first; with --file which sessions changed it")
    _add_changes_list_options(listed)
    shown = below.add_parser("show", help="what one change did")
    shown.add_argument("change", metavar="CHANGE", type=_number)
    shown.add_argument("--json", action="store_true")
    shown.set_defaults(call=_changes_show)
    _add_revert_options(below.add_parser("revert", help="undo changes"))
    _add_revert_options(verbs.add_parser("revert", help="the same as: changes revert"))


def _add_changes_list_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--session", metavar="ID", default=argparse.SUPPRESS)
    verb.add_argument("--file", metavar="PATH", default=argparse.SUPPRESS)
    _add_list_options(verb)
    verb.set_defaults(call=_changes)


def _add_revert_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("changes", metavar="CHANGE", nargs="*", type=_number)
    verb.add_argument("--turn", metavar="MESSAGE", type=_number, help="all changes of the turn this message began")
    verb.add_argument("--since", metavar="MESSAGE", type=_number, help="everything since this message")
    verb.add_argument("--file", metavar="PATH", default="", help="all changes of this file")
    verb.add_argument(
        "--session", metavar="ID", default=argparse.SUPPRESS, help="with --file: only those of this session"
    )
    verb.add_argument("--dry-run", action="store_true", help="show what would happen, and do nothing")
    verb.add_argument("--merge", action="store_true", help="also in files that changed since, where both fit together")
    verb.add_argument("--json", action="store_true")
    verb.set_defaults(call=_revert)


def _add_rules(verbs: _Verbs) -> None:
    rules = verbs.add_parser("rules", help="what is allowed, asked and denied").add_subparsers(
        metavar="VERB", required=True
    )
    listed = rules.add_parser("list", help="the rules in the order in which they are asked")
    listed.add_argument("--group", metavar="NAME", default="default")
    _add_list_options(listed)
    listed.set_defaults(call=_rules_list, per_page=500)
    test = rules.add_parser("test", help="which rule decides a call, and why; nothing is run")
    test.add_argument("tool", metavar="TOOL")
    test.add_argument("arguments", metavar="ARGUMENTS", nargs="?", default="", help="JSON, a path, or a command line")
    test.add_argument("--workdir", metavar="DIR", default=argparse.SUPPRESS)
    test.add_argument("--session", metavar="ID", default=argparse.SUPPRESS, help="with the policy of this session")
    test.add_argument("--group", metavar="NAME", default="")
    test.add_argument("--mode", choices=("ask", "ask_all", "edits", "auto"), default="")
    test.add_argument("--agent", metavar="ID", default="")
    test.add_argument("--source", metavar="ID", default="")
    test.add_argument("--json", action="store_true")
    test.set_defaults(call=_rules_test)
    explained = rules.add_parser("explain", help="why a past or waiting call was asked, allowed or denied")
    explained.add_argument("call_id", metavar="CALL", type=_number)
    explained.add_argument("--json", action="store_true")
    explained.set_defaults(call=_rules_explain)


def _add_tic(verbs: _Verbs) -> None:
    tic = verbs.add_parser("tic", help="the background agent").add_subparsers(metavar="VERB", required=True)
    run = tic.add_parser("run", help="look through the events that wait, now")
    run.add_argument("--output", choices=("text", "json", "events"), default="text")
    run.set_defaults(call=_tic_run)
    listed = tic.add_parser("list", help="earlier looks, newest first")
    _add_list_options(listed)
    listed.set_defaults(call=_tic_list)


def _add_models(verbs: _Verbs) -> None:
    models = verbs.add_parser("models", help="what models there are").add_subparsers(metavar="VERB", required=True)
    listed = models.add_parser("list", help="what is configured")
    _add_list_options(listed)
    listed.set_defaults(call=_models_list)
    test = models.add_parser("test", help="ask one short question")
    test.add_argument("name", metavar="NAME", nargs="?", default="")
    test.add_argument("--json", action="store_true")
    test.set_defaults(call=_models_test)


def _add_doctor(verbs: _Verbs) -> None:
    doctor = verbs.add_parser("doctor", help="check the installation, the configuration and the database")
    doctor.add_argument("--json", action="store_true")
    doctor.set_defaults(call=_doctor)


# ---- verbs, imported when called -----------------------------------------------------------------------------


def _window(options: argparse.Namespace) -> int:
    from placet.start import run_window

    return run_window(workdir=options.workdir, session=options.session)


def _run(options: argparse.Namespace) -> int:
    from placet.headless.run import run_prompt

    return run_prompt(options)


def _resume(options: argparse.Namespace) -> int:
    from placet.headless.run import resume_session

    return resume_session(options)


def _sessions_list(options: argparse.Namespace) -> int:
    from placet.headless.sessions import list_sessions

    return list_sessions(options)


def _sessions_show(options: argparse.Namespace) -> int:
    from placet.headless.sessions import show_session

    return show_session(options)


def _sessions_search(options: argparse.Namespace) -> int:
    from placet.headless.sessions import search_sessions

    return search_sessions(options)


def _sessions_fork(options: argparse.Namespace) -> int:
    from placet.headless.sessions import fork_session

    return fork_session(options)


def _sessions_export(options: argparse.Namespace) -> int:
    from placet.headless.sessions import export_session

    return export_session(options)


def _sessions_import(options: argparse.Namespace) -> int:
    from placet.headless.sessions import import_sessions

    return import_sessions(options)


def _sessions_delete(options: argparse.Namespace) -> int:
    from placet.headless.sessions import delete_session

    return delete_session(options)


def _changes(options: argparse.Namespace) -> int:
    from placet.headless.changes import list_changes

    return list_changes(options)


def _changes_show(options: argparse.Namespace) -> int:
    from placet.headless.changes import show_change

    return show_change(options)


def _revert(options: argparse.Namespace) -> int:
    from placet.headless.changes import revert_changes

    return revert_changes(options)


def _rules_list(options: argparse.Namespace) -> int:
    from placet.headless.rules import list_rules

    return list_rules(options)


def _rules_test(options: argparse.Namespace) -> int:
    from placet.headless.rules import test_rule

    return test_rule(options)


def _rules_explain(options: argparse.Namespace) -> int:
    from placet.headless.rules import explain_past

    return explain_past(options)


def _tic_run(options: argparse.Namespace) -> int:
    from placet.headless.tic import run_tic

    return run_tic(options)


def _tic_list(options: argparse.Namespace) -> int:
    from placet.headless.tic import list_ticks

    return list_ticks(options)


def _models_list(options: argparse.Namespace) -> int:
    from placet.headless.models import list_models

    return list_models(options)


def _models_test(options: argparse.Namespace) -> int:
    from placet.headless.models import test_models

    return test_models(options)


def _doctor(options: argparse.Namespace) -> int:
    from placet.headless.doctor import check_everything

    return check_everything(options)
