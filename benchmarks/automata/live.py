"""Memory of live instances: `python -m benchmarks.automata.live [INSTANCES]`, a hundred thousand if nothing is said.

Auctions with nine bidders each that have sent their data, and wait for them to be checked: an instance for each
auction, and for each bidder. The number of each auction must not come again for a day. Prints how many there are, and
the MiB that they take, as the local engine has them and saved.
"""

from __future__ import annotations

import gc
import sys

from benchmarks.automata.workloads import megabytes, processor
from cera.engines.local.state_bytes import dump
from cera.model.events.occurrence import Occurrence
from cera.modules.driving import Driver

_BIDDERS = 9


def main(instances: int = 100_000) -> None:
    driver = Driver(processor(states=True), max_delay=0)
    gc.collect()
    before = megabytes()
    for number in range(instances // (_BIDDERS + 1)):
        at = number * 100
        events = [Occurrence(at, at, "auctionStart", {"auctionID": number})]
        for name in range(_BIDDERS):
            who = {"auctionID": number, "enrollID": name}
            events.append(Occurrence(at + 1 + name, at + 1 + name, "enrollment", who))
            events.append(Occurrence(at + 20 + name, at + 20 + name, "bidderData", {**who, "dataID": name}))
        for _ in driver.push(sorted(events, key=lambda event: event.end)):
            pass
    driver.advance_to(instances * 100)
    gc.collect()
    live = driver.counts.in_state
    saved = len(dump(driver.processor.pack(driver.state))) / 2**20
    print(f"{live:,} instances and unique values: {megabytes() - before:.0f} MiB, {saved:.0f} MiB saved")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
