import { isControlPlane, type Node } from '../../ground/model/node.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { LooksAlike } from '../../guard/run/commands/find-guard.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { parseNodeRecord } from '../../service/model/parse-node-record.ts'
import { explainNode } from '../decide/explain-node.ts'
import type { Explanation } from '../decide/finding.ts'
import type { NodeScene } from '../decide/node-scene.ts'
import { PLAIN_DRAIN, type PodScene } from '../decide/pod-scene.ts'
import type { ExplainGround, ExplainOptions, Look, RunHere } from './explain-ground.ts'
import {
  readBudget,
  readCordons,
  readDaemonSets,
  readDns,
  readGuards,
  readIngresses,
  readSystem,
} from './read-shared.ts'
import { tryEvictions } from './try-evictions.ts'
import { type Unknown, Unknowns } from './unknowns.ts'

export interface Explained extends Explanation {
  readonly unknown: readonly Unknown[]
}

interface Asked {
  readonly name: string
  readonly options: ExplainOptions
  readonly looksAlike: LooksAlike
}

/** Rejects with UserError explain.no-such-node, and with WorldError where the Node itself cannot be read. */
export async function explainNodeByReading(
  ground: ExplainGround,
  { name, options, looksAlike }: Asked,
  signal: AbortSignal,
): Promise<Explained> {
  const look: Look = { ground, options, unknowns: new Unknowns(), signal }
  const found = await ground.sight.node(name, signal)
  if (found === undefined) throw await noSuchNode(look, name, looksAlike)
  const { node, readiness } = found
  const run = await readRun(look, node)
  const [pods, volumes, budget, cordons, guards, ingresses, dns, system, daemonSets] = await Promise.all([
    readPods(look, node, run),
    readVolumes(look),
    readBudget(look),
    readCordons(look),
    readGuards(look),
    readIngresses(look),
    readDns(look),
    isControlPlane(node) ? readSystem(look) : undefined,
    readDaemonSets(look),
  ])
  const scene: NodeScene = {
    ...{ now: ground.clock.wallMs(), node },
    ...present({
      readiness,
      pods,
      volumes,
      budget,
      cordons,
      guards,
      ingresses,
      dns,
      system,
      daemonSets,
      run: run?.scene,
    }),
  }
  return { ...explainNode(scene), unknown: look.unknowns.list }
}

/** The journal of the run that has the node, or of the last run of this machine. */
export function readRun({ ground, unknowns, signal }: Look, node: Node): Promise<RunHere | undefined> {
  const record = parseNodeRecord(node.annotations[RECORD_ANNOTATION] ?? '')
  const of = { node: node.name, ...(record.ok ? { run: record.value.run } : {}) }
  return unknowns.read('the journals of rolls on this machine', ground.runHere(of, signal))
}

async function readPods(look: Look, node: Node, run: RunHere | undefined): Promise<readonly PodScene[] | undefined> {
  const { ground, unknowns, signal } = look
  const [seen, budgets] = await Promise.all([
    unknowns.read('the pods of the node', ground.sight.podsOn(node.name, signal)),
    unknowns.read('PodDisruptionBudgets', ground.sight.list('disruptionbudgets', undefined, signal)),
  ])
  if (seen === undefined) return undefined
  const answers = await tryEvictions(look, seen)
  const common = { now: ground.clock.wallMs(), nodeReady: node.ready, drain: run?.drain ?? PLAIN_DRAIN }
  return seen.map((one) => {
    const answer = answers.get(one.pod.uid)
    return { ...common, seen: one, ...present({ budgets, answer }) }
  })
}

async function readVolumes({ ground, unknowns, signal }: Look): Promise<NodeScene['volumes']> {
  const [attachments, claims] = await Promise.all([
    unknowns.read('VolumeAttachments', ground.sight.list('volumeattachments', undefined, signal)),
    unknowns.read('PersistentVolumeClaims', ground.sight.list('volumeclaims', undefined, signal)),
  ])
  return attachments === undefined || claims === undefined ? undefined : { attachments, claims }
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** Without what is not known. */
export const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>

async function noSuchNode({ ground, signal }: Look, name: string, looksAlike: LooksAlike): Promise<UserError> {
  const known = await ground.cluster.list('nodes', signal).catch((error: unknown) => {
    if (!(error instanceof WorldError)) throw error
    return []
  })
  const [like] = looksAlike(
    name,
    known.map((node) => node.name),
  )
  return new UserError(`there is no Node ${name}`, {
    code: 'explain.no-such-node',
    fix: like === undefined ? 'kubectl get nodes lists the nodes' : `evenkeel explain node ${like}`,
  })
}
