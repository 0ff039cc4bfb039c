import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { TextfileMetrics } from '../../src/ground/machine/textfile-metrics.ts'
import { openHttpDoor } from '../../src/ground/net/http-door.ts'
import type { PageOf } from '../../src/ground/ports/http-door.ts'
import type { Log } from '../../src/ground/ports/log.ts'
import type { MetricsPlace, OpenMetrics } from '../../src/roll/cli/roll-actions.ts'

/** The door stays open: it answers as long as the process lives, and a slow client must not delay its exit. */
export async function openMetrics({ at, file }: MetricsPlace, pages: PageOf, log: Log): Promise<OpenMetrics> {
  const door = at === undefined ? undefined : await openHttpDoor({ place: at, timers: systemTimers }, pages)
  const written = file === undefined ? undefined : new TextfileMetrics(file, (reason) => log.warn(reason))
  await written?.check()
  return {
    ...(door === undefined ? {} : { port: door.port }),
    write: async (next) => written?.replace(next),
  }
}
