"""Who answers what waits for a person when there is no window."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError, UnknownItem, UsageError
from placet.core.domain.ids import RequestId
from placet.core.domain.review import (
    Amendment,
    ChosenHunks,
    DecidedBy,
    Decision,
    EditedCommand,
    EditedText,
    PendingRequest,
    RequestKind,
)
from placet.core.domain.stopping import TaskScope
from placet.core.hub.hub import Hub
from placet.headless.editing import edited
from placet.headless.session import complain
from placet.headless.terminal import WantsToEdit, ask_in_terminal, ask_question, has_terminal

NOBODY = "Nobody can answer here: there is no terminal. Run it with --approve edits or --approve all, or in the window."

NO_ANSWER = "Nobody can answer here: there is no terminal. Resume the session in one, or in the window."


class Approver:
    """Answers each request by the policy of `--approve`, in a task of its own: a stop must not wait for an answer."""

    def __init__(self, hub: Hub, policy: str, workdir: str, own_folder: Path) -> None:
        self._hub, self._policy, self._workdir, self._own_folder = hub, policy, Path(workdir), own_folder
        self._scope = TaskScope("approvals")

    def start(self, request_id: RequestId) -> None:
        """Answer a request that was announced."""
        self._scope.start(self._answer_if_it_still_waits(request_id))

    async def aclose(self) -> None:
        """Give up what is still being asked."""
        await self._scope.close()

    async def _answer_if_it_still_waits(self, request_id: RequestId) -> None:
        with suppress(UnknownItem):  # decided or stopped meanwhile
            try:
                await self._answer(request_id)
            except UnknownItem:
                raise
            except PlacetError as error:
                complain(error, 0)
                await self._hub.reject(request_id, "It could not be asked about.", by=DecidedBy.POLICY)

    async def _answer(self, request_id: RequestId) -> None:
        request = next((r for r in await self._hub.pending() if r.id == request_id), None)
        if request is None:
            return
        if request.kind is RequestKind.QUESTION and not has_terminal():
            await self._hub.reject(request.id, "Nobody can be asked here.", by=DecidedBy.POLICY)
        elif request.kind is RequestKind.QUESTION:
            await self._hub.resolve_question(request.id, await ask_question(request))
        elif self._policy == "ask" and has_terminal():
            await self._ask(request)
        elif self._passes(request):
            await self._hub.approve(request_id, by=DecidedBy.POLICY, who=f"--approve {self._policy}")
        else:
            await self._refuse(request)

    def _passes(self, request: PendingRequest) -> bool:
        if self._policy == "all":
            return True
        return self._policy == "edits" and request.kind is RequestKind.WRITE and self._is_work(Path(request.path))

    def _is_work(self, path: Path) -> bool:
        """Below the working directory alone; but the home folder is none, and what Git and Placet live by is no work."""
        if not path.is_relative_to(self._workdir) or Path.home().is_relative_to(self._workdir):
            return False
        own = self._own_folder
        is_own = path.is_relative_to(own) and not path.is_relative_to(own / "work")
        parts = {part.casefold() for part in path.relative_to(self._workdir).parts}
        return not is_own and parts.isdisjoint((".git", ".placet")) and not _has_other_names(path)

    async def _refuse(self, request: PendingRequest) -> None:
        note = NOBODY if self._policy == "ask" else f"Not allowed by --approve {self._policy}."
        await self._hub.reject(request.id, note, by=DecidedBy.POLICY, who=f"--approve {self._policy}")
        if self._policy == "ask":
            complain(f"{request.tool} {request.label} needs an approval. {NOBODY}", 0)

    async def _ask(self, request: PendingRequest) -> None:
        """Ask until it is decided; what the person changes is shown as it would be, and asked about again."""
        own = isinstance(request.draft, (EditedText, EditedCommand))
        amendment: Amendment | None = request.draft if own else None
        of = (await self._hub.request_diff(request.id)).of if request.kind is RequestKind.WRITE else ""
        while True:
            try:
                shown, diff = await self._shown(request, amendment)
            except UsageError as error:  # an edit that nothing is left of, or that a rule denies
                if amendment is None:
                    raise
                complain(error, 0)
                amendment = None
                continue
            can_edit = request.kind in (RequestKind.WRITE, RequestKind.COMMAND)
            answer = await ask_in_terminal(shown, diff, can_edit=can_edit)
            try:
                match answer:
                    case Decision(approved=True):
                        await self._hub.approve(request.id, amendment=amendment, shown=of)
                        return
                    case Decision():
                        await self._hub.reject(request.id, answer.note)
                        return
                    case WantsToEdit():
                        amendment = await self._edited(request, amendment)
                    case ChosenHunks() if diff is not None:
                        amendment = _chosen(answer, diff)
            except UsageError as error:
                complain(error, 0)

    async def _shown(
        self, request: PendingRequest, amendment: Amendment | None
    ) -> tuple[PendingRequest, FileDiff | None]:
        """What would happen: the difference of a write, a command with its facts. Hunks are those of the proposal."""
        if request.kind is RequestKind.WRITE:
            diff = await self._hub.request_diff(request.id, amendment)
            return request, diff if amendment is None else msgspec.structs.replace(diff, can_choose=False)
        if isinstance(amendment, EditedCommand):
            facts = tuple(await self._hub.request_facts(request.id, amendment.command))
            return msgspec.structs.replace(request, detail=amendment.command, facts=facts), None
        return request, None

    async def _edited(self, request: PendingRequest, amendment: Amendment | None) -> Amendment:
        if request.kind is RequestKind.COMMAND:
            before = amendment.command if isinstance(amendment, EditedCommand) else request.detail
            command = await edited(before, "command.sh")
            return EditedCommand(command if before.endswith("\n") else command.removesuffix("\n"))
        if isinstance(amendment, EditedText):
            return EditedText(await edited(amendment.text, request.path))
        proposed = await self._hub.request_text(request.id, amendment)
        if proposed.trouble:
            raise UsageError(proposed.trouble)
        return EditedText(await edited(proposed.text, request.path))


def _chosen(chosen: ChosenHunks, diff: FileDiff) -> ChosenHunks:
    if not all(0 <= number < len(diff.hunks) for number in chosen.hunks):
        raise UsageError(
            f"There are hunks 1 to {len(diff.hunks)}.", hint="Write for example h 1 3-5. Nothing was decided."
        )
    return ChosenHunks(chosen.hunks, of=diff.of)


def _has_other_names(path: Path) -> bool:
    """Whether the file may lie elsewhere as well, by a hard link."""
    try:
        return path.lstat().st_nlink > 1
    except OSError:
        return False
