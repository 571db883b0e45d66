"""How many calls a target may have in flight: additive increase, multiplicative decrease, and one question first.

Is a rejection a matter of load at all? Some providers reject a share of calls whatever their number (shared
tenants, flaky proxies); cutting the limit then only costs speed. So:

- more than half of a window's calls rejected: overload, cut;
- some rejected: cut once as a trial; if the share does not fall significantly, the rejections were
  not ours: restore the limit and leave it alone for a while;
- none worth mentioning: grow.
"""

from __future__ import annotations

import math

NOISE, SATURATED = 0.03, 0.5
WINDOW = 100
SURE = 32  # calls before a window may be judged early
CUT = 0.75
HOLD_WINDOWS = 20


class AdaptiveLimit:
    """The limit itself: told each outcome, it says how many calls may be in flight. No clock, no I/O."""

    def __init__(self, cap: int):
        self.cap, self.floor = cap, max(1, cap // 16)
        self.value = cap
        self._asked = self._rejected = 0
        self._trial: tuple[int, float, int] | None = None  # limit, share and calls before the trial cut
        self._noise, self._hold = NOISE, 0

    def outcome(self, rejected: bool) -> bool:
        """Count one call; True if this closed a window that found the target overloaded."""
        self._asked += 1
        self._rejected += rejected
        if self._rejected > SATURATED * max(self._asked, SURE):
            self._open_window()
            self._cut()
            self._trial, self._noise, self._hold = None, NOISE, 0
            return True
        if self._asked >= WINDOW:
            self._judge(self._rejected / self._asked, self._asked)
            self._open_window()
        return False

    def _judge(self, share: float, calls: int) -> None:
        if self._trial:
            limit, share_before, calls_before = self._trial
            self._trial = None
            deviation = math.sqrt(share_before * (1 - share_before) * (1 / calls + 1 / calls_before))
            if share_before - share < 2 * deviation:
                self.value, self._noise, self._hold = limit, share_before + 2 * deviation, HOLD_WINDOWS
                return
        if self._hold:
            self._hold -= 1
        else:
            self._noise = NOISE
        if share <= self._noise:
            self.value = min(self.cap, self.value + max(1, self.cap // 16))
        else:
            self._trial = self.value, share, calls
            self._cut()

    def _cut(self) -> None:
        self.value = max(self.floor, int(self.value * CUT))

    def _open_window(self) -> None:
        self._asked = self._rejected = 0
