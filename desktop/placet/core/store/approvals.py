"""Requests that wait for a person: the port `ApprovalStore`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.review import Decision, PendingRequest, ReviewNotes, Verdict
from placet.core.domain.text import clean_text
from placet.core.store import decisions
from placet.core.store.connection import Connection, Row
from placet.core.store.database import Database
from placet.core.store.records import DECODE_ERRORS, to_json
from placet.core.store.schema import Approvals, Sessions

_decode = msgspec.json.Decoder(PendingRequest).decode


class ApprovalRows:
    """Implements `ApprovalStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, request: PendingRequest) -> None:
        query = Approvals.insert(
            id=request.id,
            session_id=request.session_id,
            call_id=request.call_id,
            created=request.created_at,
            body=to_json(request),
        ).on_conflict_replace()

        def work(connection: Connection) -> None:
            connection.rows(query)
            connection.execute(
                "UPDATE tool_calls SET status = 'pending', label = ? WHERE id = ? AND status IN ('running', 'pending')",
                (clean_text(request.label), request.call_id),
            )

        await self._database.run(work)

    async def remove(self, request_id: RequestId, verdict: Verdict | None = None) -> None:
        """Implements `ApprovalStore.remove`."""

        def work(connection: Connection) -> None:
            row = connection.one("SELECT call_id FROM approvals WHERE id = ?", (request_id,))
            if row is not None:
                connection.execute("DELETE FROM approvals WHERE id = ?", (request_id,))
                decisions.add(connection, CallId(row[0]), (verdict,) if verdict is not None else ())

        await self._database.run(work)

    async def decide(self, request_id: RequestId, decision: Decision) -> bool:
        """Implements `ApprovalStore.decide`."""

        def work(connection: Connection) -> bool:
            row = connection.one("SELECT body FROM approvals WHERE id = ?", (request_id,))
            if row is None:
                return False
            request = _decode(row[0])
            if request.decision is not None:
                return False
            decided = msgspec.structs.replace(request, decision=decision)
            connection.execute("UPDATE approvals SET body = ? WHERE id = ?", (to_json(decided), request_id))
            return True

        return await self._database.run(work)

    def keep_notes(self, request_id: RequestId, notes: ReviewNotes) -> None:
        """Keep what a person did so far with a request; it goes with the request. Waits for nothing, never raises."""
        sql = "UPDATE approvals SET body = json_set(body, '$.notes', json(?)) WHERE id = ? AND json_valid(body)"
        values = (to_json(notes), request_id)
        self._database.hand_over(lambda connection: connection.execute(sql, values))

    async def waiting(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        query = _with_titles().order_by(Approvals.created.desc(), Approvals.id.desc())
        if session_id is not None:
            query = query.where(Approvals.session_id == session_id)
        return await self._database.read(lambda connection: _requests(connection.rows(query)))

    async def get(self, request_id: RequestId) -> PendingRequest | None:
        query = _with_titles().where(Approvals.id == request_id)

        def work(connection: Connection) -> PendingRequest | None:
            found = _requests(connection.rows(query))
            return found[0] if found else None

        return await self._database.read(work)


def remove_decided(connection: Connection, call_id: CallId) -> None:
    """The call begins or ends: a decision that was kept for it has had its effect. A question begins and asks then."""
    connection.execute(
        "DELETE FROM approvals WHERE call_id = ? "
        "AND CASE WHEN json_valid(body) THEN json_extract(body, '$.decision') IS NOT NULL "
        "AND json_extract(body, '$.kind') <> 'question' ELSE 0 END",
        (call_id,),
    )


def _with_titles() -> Any:
    return Approvals.select(Approvals.body, Sessions.title, Sessions.source).join(
        Sessions, on=((Approvals.session_id == Sessions.id) & Sessions.deleted.is_null())
    )


def _requests(rows: Sequence[Row]) -> list[PendingRequest]:
    requests = []
    for body, title, source in rows:
        try:
            requests.append(msgspec.structs.replace(_decode(body), session_title=title, source=source))
        except DECODE_ERRORS:  # one damaged request hides only itself; its call is still pending and asked anew
            continue
    return requests
