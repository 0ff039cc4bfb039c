import { describe } from 'node:test'
import { wallMs } from '../../src/ground/model/time.ts'
import { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import type { Machine } from '../../src/sim/machines/machine.ts'
import { turnsOfLoop } from '../support/turns-of-loop.ts'
import type { ClusterDoor } from './cluster/cluster-door.ts'
import { NO_IMAGE } from './cluster/pod-starts.ts'
import { CLUSTER_WORKLOADS, clusterContract } from './cluster-contract.ts'
import { portDoor } from './doors/port-door.ts'
import type { OpenedCluster } from './doors/real-cluster-door.ts'

const STEP_MS = 10
const NODES = ['n1', 'n2', 'n3']
const BALANCER = { fronts: [], check: { interMs: 2000, fall: 3, rise: 2 } }

interface EmbeddedOptions {
  readonly seed: string
  readonly manifestsOn: (nodes: readonly string[]) => readonly object[]
}

/** Three nodes of the embedded cluster in virtual time, that goes on while the contract waits. */
function openEmbeddedCluster({ seed, manifestsOn }: EmbeddedOptions): Promise<OpenedCluster> {
  const startAt = wallMs(Date.UTC(2026, 0, 1))
  const parts = { seed, startAt, nodes: NODES.length, darkMs: 500, balancer: BALANCER, manifests: manifestsOn(NODES) }
  const cluster = new VirtualCluster(parts, turnsOfLoop)
  cluster.machines.images.lose(NO_IMAGE)
  return Promise.resolve({ door: doorOn(cluster), close: async () => cluster.end() })
}

function doorOn({ time, world, machines, nodes }: VirtualCluster): ClusterDoor {
  const act = async (node: string, what: (machine: Machine) => unknown): Promise<void> => {
    const machine = machines.get(node)
    if (machine === undefined || what(machine) === false) throw new Error(`${node} takes no commands`)
  }
  return {
    api: portDoor(world, time),
    nodes,
    nowMs: () => time.monoMs(),
    reboot: (node) => act(node, (machine) => machine.reboot()),
    powerCycle: (node) => act(node, (machine) => machine.reset()),
    powerOff: (node) => act(node, (machine) => machine.powerCut()),
    powerOn: (node) => act(node, (machine) => machine.powerOn()),
    staticPod: async (node, file, manifest) => machines.manifestsOf(node).put(file, manifest),
    waitUntil: async ({ what, limitMs }, ask) => {
      const limit = time.monoMs() + limitMs
      for (;;) {
        const answer = await ask()
        if (answer !== undefined) return answer
        if (time.monoMs() > limit) throw new Error(`waited ${limitMs} ms for ${what}`)
        await time.advance(STEP_MS)
      }
    },
  }
}

for (const seed of ['a', 'b', 'c']) {
  describe(`the embedded cluster, in virtual time (seed ${seed})`, () => {
    clusterContract(() => openEmbeddedCluster({ seed, manifestsOn: CLUSTER_WORKLOADS }))
  })
}
