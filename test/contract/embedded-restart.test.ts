import { after, describe } from 'node:test'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { wallMs } from '../../src/ground/model/time.ts'
import { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { turnsOfLoop } from '../support/turns-of-loop.ts'
import { restartsContract } from './api/restarts.ts'
import { portDoor } from './doors/port-door.ts'

describe('the API server of an embedded cluster that is killed and started again', () => {
  const cluster = new VirtualCluster(
    {
      seed: '1',
      startAt: wallMs(Date.UTC(2026, 0, 1)),
      nodes: 1,
      darkMs: 500,
      manifests: [],
      balancer: { fronts: [], check: { interMs: 2_000, fall: 3, rise: 2 } },
    },
    turnsOfLoop,
  )
  after(() => cluster.end())
  const door = portDoor(cluster.world, systemTimers)
  restartsContract(
    () => door,
    async () => {
      cluster.apiServer.kill()
      await cluster.time.advance(3_000)
      cluster.apiServer.start()
    },
  )
})
