import type { ProbeTarget } from '../../../../src/model/probe.ts'
import { database, edge, whoami } from '../../../../src/sim/cluster/article-workloads.ts'
import { settled, virtualRollFile } from '../article-cluster.ts'
import { LossLog } from '../checkers/loss-log.ts'
import { Scene, type Violation } from '../checkers/scene.ts'
import { watchWorld } from '../checkers/watch-world.ts'
import { operateRoll } from '../operate-roll.ts'
import type { EffectHook } from '../roll-ports.ts'
import { smallWorld } from '../small-world.ts'
import { VirtualRoll } from '../virtual-roll.ts'

/** Where a process is killed: at the n-th thing that it does to the world or its journal, counted over all processes. */
export interface CrashPoint {
  readonly effect: number
  readonly phase: 'before' | 'after'
}

export interface CrashPlan {
  /** In the order in which they come. */
  readonly crashes: readonly CrashPoint[]
  readonly word: 'resume' | 'abort'
  /** Nodes of the cluster, and which of them are rolled. */
  readonly nodes: number
  readonly rolled: readonly string[]
}

export interface CrashRun {
  /** Of every effect, in order. */
  readonly effects: readonly string[]
  readonly violations: readonly Violation[]
  readonly processes: number
  readonly virtualMs: number
}

const ROLL_LIMIT_MS = 5 * 60_000
const PAUSE_MS = 1_500
const JUDGED_AFTER_MS = 3_000

/** One roll of a small cluster under traffic, killed where the plan says, taken up again, and looked at by all checkers. */
export async function crashRun({ crashes, word, nodes, rolled }: CrashPlan): Promise<CrashRun> {
  const cluster = await smallWorld({ seed: 'crash', nodes, darkMs: 500, manifests: manifestsFor(nodes) })
  const { time } = cluster
  const effects: string[] = []
  const onEffect: EffectHook = (effect, phase, lifeline) => {
    if (phase === 'before') effects.push(effect)
    const at = effects.lastIndexOf(effect)
    if (crashes.some((crash) => crash.effect === at && crash.phase === phase)) lifeline.cut()
  }
  const roll: VirtualRoll = new VirtualRoll(
    cluster,
    virtualRollFile({ rate: 10, spec: { nodes: { names: rolled }, ...BRISK } }),
    {
      onEffect,
      batchEveryMs: 400,
      witness: (request) => watched.witness(roll)(request),
    },
  )
  const scene = new Scene(cluster)
  scene.rolls = 1
  const losses = new LossLog(cluster, { ...firstTarget(roll), ratePerSecond: 20 })
  const watched = watchWorld(scene, losses, ['edge'])
  const startedMs = time.monoMs()
  const first = await roll.begin()
  roll.journal.disk = { ...roll.journal.disk, onSynced: watched.synced(roll) }
  let processes = 0
  const operating = operateRoll({
    roll,
    first,
    pauseMs: () => PAUSE_MS,
    word: () => word,
    onProcess: () => {
      processes += 1
      scene.processBegan(roll.run)
    },
  })
  try {
    await time.settle(operating, ROLL_LIMIT_MS)
    await settled(cluster)
  } catch (error) {
    scene.tell('everything-returns', error instanceof Error ? error.message : String(error))
  }
  const virtualMs = time.monoMs() - startedMs
  await time.advance(JUDGED_AFTER_MS)
  await time.settle(losses.stop(), ROLL_LIMIT_MS)
  watched.end()
  cluster.end()
  return { effects, violations: scene.violations, processes, virtualMs }
}

/** Short waits: what is tested is the order of things. */
const BRISK = {
  soak: '1s',
  baseline: { duration: '1s' },
  settle: { limit: '2min', timesInARow: 2 },
  slots: { leaseDuration: '15s' },
  detach: { idleLimit: '5s' },
}

const manifestsFor = (nodes: number): readonly object[] => [
  ...whoami({ service: 'improved', replicas: nodes + 1, graceSeconds: 1 }),
  ...edge(),
  ...database(Array.from({ length: nodes }, (_, i) => `n${i + 1}`)),
]

function firstTarget({ spec }: VirtualRoll): ProbeTarget {
  const [target] = spec.probe?.targets ?? []
  if (target === undefined) throw new Error('the roll has no probe')
  return target
}
