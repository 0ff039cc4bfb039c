import type { DnsLoop } from '../../src/dns/run/dns-loop.ts'
import { present } from '../../src/ground/model/present.ts'
import type { GuardLoop } from '../../src/guard/run/guard-loop.ts'
import type { IngressLoop } from '../../src/ingress/run/ingress-loop.ts'
import type { RollLoop } from '../../src/operator/run/roll-loop.ts'
import type { ScheduleLoop } from '../../src/operator/run/schedule-loop.ts'
import type { ControllerOptions } from './controller-options.ts'
import type { LoopPlace } from './loop-parts.ts'
import type { FleetLockService } from './open-fleet-lock.ts'

interface LoopsPlace extends LoopPlace {
  readonly options: ControllerOptions
}

/** The loops beside the brake. */
export interface Loops {
  /** Absent: the DNS of the cluster is not checked. */
  readonly dns?: DnsLoop
  /** Absent: IngressDaemonSets are left alone. */
  readonly ingress?: IngressLoop
  /** Absent: NodeGuards are left alone. */
  readonly guard?: GuardLoop
  /** Absent: Rolls are left alone. */
  readonly rolls?: RollLoop
  /** Absent: RollSchedules are left alone. */
  readonly schedules?: ScheduleLoop
  /** Absent: clients are not answered. */
  readonly fleetLock?: FleetLockService
}

/** Each loop is loaded only where it is wanted: they are larger than the rest. */
export async function openLoops(place: LoopsPlace): Promise<Loops> {
  const { options } = place
  const dns =
    options.dns === undefined
      ? undefined
      : await (await import('./open-dns-loop.ts')).openDnsLoop({ ...place, dns: options.dns })
  const ingress =
    options.ingress === undefined
      ? undefined
      : (await import('./open-ingress-loop.ts')).openIngressLoop({ ...place, ingress: options.ingress })
  const guard =
    options.guard === undefined
      ? undefined
      : (await import('./open-guard-loop.ts')).openGuardLoop({ ...place, guard: options.guard })
  const rolls =
    options.rolls === undefined
      ? {}
      : await (await import('./open-roll-loop.ts')).openRollLoops({
          ...{ ...place, rolls: options.rolls, address: options.address },
        })
  return { ...present({ dns, ingress, guard }), ...rolls }
}
