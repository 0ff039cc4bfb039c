import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import { twoHosts } from './memory-pair.ts'
import { aSpec } from './roll-world.ts'

const address = { kind: 'unix', path: '/run/haproxy.sock' } as const

/** A roll file with the machines of `MemoryPair`, which run the one balancer. */
export const hostsSpec = (change: Partial<RollSpec> = {}): RollSpec =>
  aSpec({
    balancers: [
      {
        name: 'edge',
        instances: ['lb-1', 'lb-2'],
        backends: ['web'],
        allowLastServer: false,
        via: { kind: 'haproxy', instances: ['lb-1', 'lb-2'].map((name) => ({ name, address })) },
      },
    ],
    hosts: twoHosts(),
    ...change,
  })

/** A run that has begun none of them. */
export const RUN_HOSTS: NonNullable<RunState['hosts']> = { order: ['lb-1', 'lb-2'], done: [], memory: {} }
