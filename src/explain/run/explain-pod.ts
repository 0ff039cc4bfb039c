import { type ObjectRef, refKey } from '../../ground/model/object-ref.ts'
import type { Pod } from '../../ground/model/pod.ts'
import { present } from '../../ground/model/present.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { asksToDrain } from '../../guard/decide/asks.ts'
import { guardOf } from '../../roll/decide/drain/guard-of.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { explainPod } from '../decide/explain-pod.ts'
import type { ExplainFinding } from '../decide/finding.ts'
import { nodeGuards } from '../decide/node-objects.ts'
import { nodeRoll } from '../decide/node-roll.ts'
import type { NodeScene } from '../decide/node-scene.ts'
import { nodeState } from '../decide/node-state.ts'
import { PLAIN_DRAIN, type PodAround, type PodScene } from '../decide/pod-scene.ts'
import type { Explained } from './explain-node.ts'
import { readRun } from './explain-node.ts'
import type { ExplainOptions, ExplainPass, ExplainSources, RunHere } from './explain-sources.ts'
import { readBudget, readGuards } from './read-shared.ts'
import { tryEvictions } from './try-evictions.ts'
import { Unknowns } from './unknowns.ts'

/** Rejects with UserError explain.no-such-pod, and with WorldError where the pod itself cannot be read. */
export async function explainPodByReading(
  sources: ExplainSources,
  { ref, options }: { readonly ref: ObjectRef; readonly options: ExplainOptions },
  signal: AbortSignal,
): Promise<Explained> {
  const pass: ExplainPass = { sources, options, unknowns: new Unknowns(), signal }
  const { unknowns, ...rest } = pass
  const seen = await sources.reader.pod(ref, signal)
  if (seen === undefined) throw noSuchPod(ref)
  const { pod } = seen
  const [on, budgets, answers, around] = await Promise.all([
    readNode({ ...rest, unknowns }, pod),
    unknowns.read('PodDisruptionBudgets', sources.reader.list('disruptionbudgets', ref.namespace, signal)),
    tryEvictions(pass, [seen]),
    readAround(pass, pod),
  ])
  const scene: PodScene = {
    ...{ now: sources.clock.wallMs(), seen, drain: on?.run?.drain ?? PLAIN_DRAIN },
    ...present({ nodeReady: on?.scene.node.ready, budgets, answer: answers.get(pod.uid) }),
  }
  const explanation = explainPod(scene, around, on === undefined ? { findings: [] } : await onNode(pass, pod, on))
  return { ...explanation, unknown: unknowns.list }
}

interface OnNode {
  readonly scene: NodeScene
  readonly run: RunHere | undefined
}

async function readNode(pass: ExplainPass, { nodeName }: Pod): Promise<OnNode | undefined> {
  const { sources, unknowns, signal } = pass
  if (nodeName === undefined) return undefined
  const found = await unknowns.read(`Node ${nodeName}`, sources.reader.node(nodeName, signal))
  if (found === undefined) return undefined
  const [run, budget] = await Promise.all([readRun(pass, found.node), readBudget(pass)])
  const scene = { now: sources.clock.wallMs(), ...found, ...present({ budget, run: run?.scene }) }
  return { scene, run }
}

/** What concerns the pod about its node. */
async function onNode(pass: ExplainPass, pod: Pod, { scene }: OnNode) {
  const { node, run } = scene
  const guard = guardOf(pod)
  const guards = guard === undefined ? [] : ((await readGuards(pass, pod.namespace)) ?? [])
  const asked = askedOf(scene)
  const isHere = RECORD_ANNOTATION in node.annotations || run?.node === 'inWork'
  const findings: readonly ExplainFinding[] = [
    ...nodeGuards(
      scene,
      guards.filter(({ name }) => name === guard),
    ),
    ...(isHere ? nodeRoll(scene) : []).map((one) => asContext(one, pod)),
    ...nodeState(scene).map((one) => asContext(one, pod)),
  ]
  return { findings, ...present({ asked }) }
}

/** A finding about the node explains the pod only where it names the pod. */
const asContext = (one: ExplainFinding, pod: Pod): ExplainFinding => {
  const isMine = one.text.includes(refKey(pod)) || one.subject === refKey(pod)
  return isMine ? one : { ...one, is: 'fact', next: [] }
}

function askedOf({ node, run }: NodeScene): string | undefined {
  if (RECORD_ANNOTATION in node.annotations) return 'a roll has out'
  if (run?.running === true && run.node === 'inWork') return 'a roll works on'
  return asksToDrain(node)
}

async function readAround(
  { sources, unknowns, signal }: ExplainPass,
  { namespace, claims: mounted }: Pod,
): Promise<PodAround> {
  const slices = await unknowns.read('EndpointSlices', sources.reader.list('endpointslices', namespace, signal))
  if (mounted.length === 0) return present({ slices })
  const [attachments, claims] = await Promise.all([
    unknowns.read('VolumeAttachments', sources.reader.list('volumeattachments', undefined, signal)),
    unknowns.read('PersistentVolumeClaims', sources.reader.list('volumeclaims', namespace, signal)),
  ])
  return present({ slices, attachments, claims })
}

const noSuchPod = ({ namespace, name }: ObjectRef): UserError =>
  new UserError(`namespace ${namespace} has no pod ${name}`, {
    code: 'explain.no-such-pod',
    fix: say`${kubectl`-n ${namespace} get pods`} lists those that there are; NAMESPACE/NAME or -n names another namespace`,
  })
