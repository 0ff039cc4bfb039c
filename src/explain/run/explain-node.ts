import { isControlPlane, type Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import { evenkeel, kubectl, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { LooksAlike } from '../../guard/run/commands/find-guard.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { parseNodeRecord } from '../../service/model/parse-node-record.ts'
import { explainNode } from '../decide/explain-node.ts'
import type { Explanation } from '../decide/finding.ts'
import type { NodeScene } from '../decide/node-scene.ts'
import { PLAIN_DRAIN, type PodScene } from '../decide/pod-scene.ts'
import type { ExplainOptions, ExplainPass, ExplainSources, RunHere } from './explain-sources.ts'
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
  sources: ExplainSources,
  { name, options, looksAlike }: Asked,
  signal: AbortSignal,
): Promise<Explained> {
  const pass: ExplainPass = { sources, options, unknowns: new Unknowns(), signal }
  const found = await sources.reader.node(name, signal)
  if (found === undefined) throw await noSuchNode(pass, name, looksAlike)
  const { node, readiness } = found
  const run = await readRun(pass, node)
  const [pods, volumes, budget, cordons, guards, ingresses, dns, system, daemonSets] = await Promise.all([
    readPods(pass, node, run),
    readVolumes(pass),
    readBudget(pass),
    readCordons(pass),
    readGuards(pass),
    readIngresses(pass, node),
    readDns(pass),
    isControlPlane(node) ? readSystem(pass) : undefined,
    readDaemonSets(pass),
  ])
  const scene: NodeScene = {
    ...{ now: sources.clock.wallMs(), node, ...ingresses },
    ...present({
      readiness,
      pods,
      volumes,
      budget,
      cordons,
      guards,
      dns,
      system,
      daemonSets,
      run: run?.scene,
    }),
  }
  return { ...explainNode(scene), unknown: pass.unknowns.list }
}

/** The journal of the run that has the node, or of the last run of this machine. */
export function readRun({ sources, unknowns, signal }: ExplainPass, node: Node): Promise<RunHere | undefined> {
  const record = parseNodeRecord(node.annotations[RECORD_ANNOTATION] ?? '')
  const of = { node: node.name, ...(record.ok ? { run: record.value.run } : {}) }
  return unknowns.read('the journals of rolls on this machine', sources.runHere(of, signal))
}

async function readPods(
  pass: ExplainPass,
  node: Node,
  run: RunHere | undefined,
): Promise<readonly PodScene[] | undefined> {
  const { sources, unknowns, signal } = pass
  const [seen, budgets] = await Promise.all([
    unknowns.read('the pods of the node', sources.reader.podsOn(node.name, signal)),
    unknowns.read('PodDisruptionBudgets', sources.reader.list('disruptionbudgets', undefined, signal)),
  ])
  if (seen === undefined) return undefined
  const answers = await tryEvictions(pass, seen)
  const common = { now: sources.clock.wallMs(), nodeReady: node.ready, drain: run?.drain ?? PLAIN_DRAIN }
  return seen.map((one) => {
    const answer = answers.get(one.pod.uid)
    return { ...common, seen: one, ...present({ budgets, answer }) }
  })
}

async function readVolumes({ sources, unknowns, signal }: ExplainPass): Promise<NodeScene['volumes']> {
  const [attachments, claims] = await Promise.all([
    unknowns.read('VolumeAttachments', sources.reader.list('volumeattachments', undefined, signal)),
    unknowns.read('PersistentVolumeClaims', sources.reader.list('volumeclaims', undefined, signal)),
  ])
  return attachments === undefined || claims === undefined ? undefined : { attachments, claims }
}

async function noSuchNode({ sources, signal }: ExplainPass, name: string, looksAlike: LooksAlike): Promise<UserError> {
  const known = await sources.cluster.list('nodes', signal).catch((error: unknown) => {
    if (!(error instanceof WorldError)) throw error
    return []
  })
  const [like] = looksAlike(
    name,
    known.map((node) => node.name),
  )
  return new UserError(`there is no Node ${name}`, {
    code: 'explain.no-such-node',
    fix: like === undefined ? say`${kubectl`get nodes`} lists the nodes` : evenkeel`explain node ${like}`,
  })
}
