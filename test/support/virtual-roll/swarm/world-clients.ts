import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import type { LossLog } from '../checkers/loss-log.ts'
import { ReturningClient } from '../returning-client.ts'
import type { WorldKind } from './world-kind.ts'

/** As `timeout server` has it, and more than `detach.idleLimit`. */
const LONG_PATH = '/slow?ms=8000'
const LONG_LIMIT_MS = 20_000
const SHORT_LIMIT_MS = 2_000
const KNOWN_CLIENTS = 6
const LONG_CLIENTS = 4

/** Clients that ask otherwise than a prober: with cookies, or for what takes long. */
export function beginClients(cluster: VirtualCluster, world: WorldKind, losses: LossLog): readonly ReturningClient[] {
  const lost = losses.noteOther.bind(losses)
  const fronts = losses.fronts.filter(({ backend }) => backend === 'web')
  const known = world.servers === 'cookies' ? KNOWN_CLIENTS : 0
  const long = world.hasLongRequests === true ? LONG_CLIENTS : 0
  return fronts.flatMap((front) => [
    ...Array.from({ length: known }, (_, i) => {
      return new ReturningClient({ cluster, front, path: '/', pauseMs: 300 + 10 * i, limitMs: SHORT_LIMIT_MS, lost })
    }),
    ...Array.from({ length: long }, (_, i) => {
      return new ReturningClient({
        cluster,
        front,
        path: LONG_PATH,
        pauseMs: 300 + 700 * i,
        limitMs: LONG_LIMIT_MS,
        lost,
      })
    }),
  ])
}
