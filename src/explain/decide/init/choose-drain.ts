import { firstOf } from '../../../ground/model/first-of.ts'
import type { LabelSelector } from '../../../ground/model/label-selector.ts'
import type { Node } from '../../../ground/model/node.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import type { Service } from '../../../ground/model/service.ts'
import { type Workload, workloadKey } from '../../../ground/model/workload.ts'
import { classifyPod } from '../../../roll/decide/drain/classify-pod.ts'
import { workloadOf } from '../../../roll/decide/drain/workload-of.ts'
import { servedDaemonSets } from '../../../roll/decide/plan/daemon-findings.ts'
import type { RollSpec } from '../../../roll/model/roll-spec.ts'
import { type Answers, answerTo, isYes, type Question, yesOrNo } from './init-question.ts'
import { type InitSnapshot, readOf } from './init-snapshot.ts'
import type { Field, ListItem, Part } from './roll-file-outline.ts'

interface DrainInput {
  readonly snapshot: InitSnapshot
  /** The nodes of the roll; absent: not known. */
  readonly nodes: readonly Node[] | undefined
  /** The Services whose NodePorts the balancers send to. */
  readonly services: readonly Service[]
}

interface DrainChoice extends Part {
  readonly questions: readonly Question[]
}

/** `spec.drain`. */
export function chooseDrain({ snapshot, nodes = [], services }: DrainInput, answers: Answers): DrainChoice {
  const names = new Set(nodes.map(({ name }) => name))
  const pods = readOf(snapshot.pods).filter(({ nodeName = '' }) => names.has(nodeName))
  const refused = REFUSALS.map((refusal) => refusedPods(refusal, pods, answers))
  const daemons = daemonSets(snapshot)
  return {
    fields: [
      ...daemons.fields,
      ...refused.flatMap(({ fields }) => fields),
      ...polite(snapshot, services),
      ...blocked(snapshot),
    ],
    found: [...daemons.found, ...refused.flatMap(({ found }) => found), ...shutBudgets(snapshot)],
    leftOut: [],
    questions: refused.flatMap(({ questions }) => questions),
  }
}

/** If other nodes send to its pods, a DaemonSet is a stage of the drain. */
function daemonSets(snapshot: InitSnapshot): Pick<Part, 'fields' | 'found'> {
  const served = servedDaemonSets({
    services: readOf(snapshot.services),
    pods: readOf(snapshot.pods),
    workloads: readOf(snapshot.workloads),
  })
  if (served.length === 0) return { fields: [], found: [] }
  const items = served.map(({ workload, service }): ListItem => {
    const comment = `DaemonSet ${refKey(workload)}: Service ${refKey(service)} sends to its pods from every node.`
    return { value: selectorText(workload.selector) ?? '', comment, ...off(workload.selector) }
  })
  const comment = 'Pods of DaemonSets that other nodes send to: they leave last, before the reboot.'
  return {
    fields: [{ key: 'daemonSets', value: { items }, comment }],
    found: served.map(
      ({ workload, service }) => `DaemonSet ${refKey(workload)} serves Service ${refKey(service)}: its pods leave last`,
    ),
  }
}

/** A selector with expressions has no short form that is surely equal. */
const selectorText = ({ matchLabels, matchExpressions }: LabelSelector): string | undefined => {
  const labels = Object.entries(matchLabels)
  if (labels.length === 0 || matchExpressions.length > 0) return undefined
  return labels.map(([key, value]) => `${key}=${value}`).join(',')
}

const off = (selector: LabelSelector): { readonly off?: true } =>
  selectorText(selector) === undefined ? { off: true } : {}

interface Refusal {
  readonly id: 'emptyDir' | 'unmanaged'
  readonly key: string
  /** The verb for one pod, and for several. */
  readonly does: readonly [one: string, many: string]
  readonly lost: string
}

const REFUSALS: readonly Refusal[] = [
  {
    id: 'emptyDir',
    key: 'deleteEmptyDirData',
    does: ['keeps data in an emptyDir', 'keep data in an emptyDir'],
    lost: 'The data is lost when such a pod moves.',
  },
  {
    id: 'unmanaged',
    key: 'deleteUnmanaged',
    does: ['has no controller that replaces it', 'have no controller that replaces them'],
    lost: 'Such a pod does not come back.',
  },
]

const DRAIN: RollSpec['drain'] = {
  daemonSets: [],
  deleteEmptyDirData: false,
  deleteUnmanaged: false,
  blockedLimitMs: 0,
  stageLimitMs: 0,
}

/** Data that would be lost: only a person may allow it. */
function refusedPods(
  { id, key, does: [one, many], lost }: Refusal,
  pods: readonly Pod[],
  answers: Answers,
): Pick<DrainChoice, 'fields' | 'found' | 'questions'> {
  // A pod without a controller is judged by that first.
  const drain = { ...DRAIN, deleteUnmanaged: id === 'emptyDir' }
  const refused = pods.filter((pod) => {
    const verdict = classifyPod(pod, drain)
    return verdict.kind === 'refused' && verdict.why === id
  })
  if (refused.length === 0) return { fields: [], found: [], questions: [] }
  const names = firstOf(refused.map(refKey))
  const text = `${refused.length === 1 ? '1 pod' : `${refused.length} pods`} of these nodes (${names}) ${refused.length === 1 ? one : many}`
  const question: Question = {
    id,
    about: `evict pods that ${many}`,
    why: `${text}. ${lost}`,
    ask: 'May the roll evict these pods? y or n',
    preset: 'n',
    faultOf: yesOrNo,
  }
  const isAllowed = isYes(answerTo(question, answers))
  const comment = isAllowed
    ? `${text}. ${lost} You allowed it.`
    : `${text}. ${lost} The plan refuses them until this line is used, or the pods are gone.`
  const field: Field = { key, value: true, comment, ...(isAllowed ? {} : { off: true }) }
  return { fields: [field], found: [`${text}${isAllowed ? '' : ': the plan refuses them'}`], questions: [question] }
}

/** For a service that does not exit gracefully; only its owner knows whether it does. */
function polite(snapshot: InitSnapshot, services: readonly Service[]): readonly Field[] {
  const workloads = readOf(snapshot.workloads)
  const items = services.flatMap((service): readonly ListItem[] => {
    const behind = readOf(snapshot.pods).filter((pod) => pod.namespace === service.namespace && isBehind(service, pod))
    const owners = new Set(behind.map((pod) => workloadOf(pod, workloads)))
    return [...owners].flatMap((owner) => (owner?.kind === 'Deployment' ? politeItem(owner) : []))
  })
  if (items.length === 0) return []
  const comment =
    'Deployments behind the balancers. If a pod of one of them refuses requests as soon as it is told to stop, use these lines: the pod then leaves its Services first, after its replacement is Ready. This needs more rights: deploy/roll-polite-rbac.yaml.'
  return [{ key: 'polite', value: { items }, comment, off: true }]
}

const isBehind = ({ selector }: Service, { labels }: Pod): boolean => {
  const wanted = Object.entries(selector)
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value)
}

function politeItem(owner: Workload): readonly ListItem[] {
  const selector = selectorText(owner.selector)
  if (selector === undefined) return []
  const fields: Field[] = [
    { key: 'selector', value: selector },
    { key: 'namespaces', value: [owner.namespace] },
  ]
  const single = owner.desired === 1 ? ', which has 1 replica' : ''
  return [{ value: { fields }, comment: `${workloadKey(owner)}${single}` }]
}

const shutBudgets = (snapshot: InitSnapshot): readonly string[] => {
  const names = shut(snapshot)
  return names.length === 0 ? [] : [`allows no eviction now: PodDisruptionBudget ${firstOf(names)}`]
}

const shut = ({ budgets }: InitSnapshot): readonly string[] =>
  readOf(budgets)
    .filter(({ disruptionsAllowed, expectedPods }) => disruptionsAllowed === 0 && expectedPods > 0)
    .map(refKey)

function blocked(snapshot: InitSnapshot): readonly Field[] {
  const names = shut(snapshot)
  if (names.length === 0) return []
  const namespaces = [...new Set(names.map((name) => name.slice(0, name.indexOf('/'))))]
  const fields: Field[] = [
    { key: 'namespaces', value: namespaces },
    { key: 'wait', value: '2min' },
    { key: 'surge', value: '5min' },
  ]
  const comment = `PodDisruptionBudget ${firstOf(names)} allows no eviction now. A roll waits and is then held. With these lines it starts a replacement first; this needs more rights: deploy/roll-polite-rbac.yaml.`
  return [{ key: 'blocked', value: { items: [{ value: { fields } }] }, comment, off: true }]
}
