"""The engine: one message becomes rounds of model calls and tool calls. Imports only `domain`.

    handler      one session's turns, one at a time; the boundary where whatever happens becomes an outcome
    rounds       the loop: a model call, then the calls it asked for, until a final text
    answer       one model call, with `draft` (what has arrived, stored as it comes) and `failover` (another try)
    tool_calls   the one path of a call, with `call_groups` (which go together), `call_record` (its rows and events),
                 `flow` (calls that the engine carries out itself), `repeats`, `faults`
    sub_agents   a frame under a call; `resume` goes on after a crash, sub-agents first
    parts        what all of these share: the engine's outside, and a `Turn`: one agent's run in one frame

Letters and numbers such as `T-5` name promises: docs/promises.md.
"""
