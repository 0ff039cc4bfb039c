import type { DisruptionBudget } from '../../ground/model/disruption-budget.ts'
import type { EvictionAnswer } from '../../ground/model/eviction.ts'
import { isFinished, type Pod } from '../../ground/model/pod.ts'
import { evenkeel, kubectl } from '../../ground/model/sentence.ts'
import { evictionRefusal } from '../../roll/decide/drain/budget-reasons.ts'
import { classifyPod } from '../../roll/decide/drain/classify-pod.ts'
import { guardOf } from '../../roll/decide/drain/guard-of.ts'
import { asSentence, type ExplainFinding, finding, type Next } from './finding.ts'
import { answerByBudgets, arithmetic, budgetNext, budgetsOver } from './pod-budgets.ts'
import { podEnding } from './pod-ending.ts'
import { type PodScene, refOf } from './pod-scene.ts'

/** Why a pod does not leave its node, by the rules of a drain and by the answer of the API server: one finding at least. */
export function podLeaving(scene: PodScene): readonly ExplainFinding[] {
  const ending = podEnding(scene)
  if (ending !== undefined) return [ending]
  const { pod } = scene.seen
  const sort = classifyPod(pod, scene.drain)
  if (sort.kind === 'stays') return [stays(scene, sort.why)]
  if (sort.kind === 'evict' || sort.why === 'emptyDir')
    return [...evicted(scene), ...(sort.kind === 'refused' ? [emptyDir(scene)] : [])]
  return [unmanaged(scene), ...evicted(scene).filter(({ is }) => is !== 'fact')]
}

const base = (scene: PodScene): Pick<ExplainFinding, 'part' | 'subject'> => ({ part: 'drain', subject: refOf(scene) })

function stays(scene: PodScene, why: 'mirror' | 'daemonSet'): ExplainFinding {
  const { namespace, controller, nodeName = 'its node' } = scene.seen.pod
  if (why === 'mirror')
    return finding({
      ...base(scene),
      is: 'fact',
      code: 'MirrorPod',
      text: `${refOf(scene)} is a static pod: the kubelet of ${nodeName} runs it from a file, and no eviction ends it`,
      evidence: ['it has the annotation kubernetes.io/config.mirror'],
      next: [{ note: `it ends with the machine, or when its file is taken away on ${nodeName}; a drain leaves it` }],
    })
  const of = `DaemonSet ${namespace}/${controller?.name ?? ''}`
  return finding({
    ...base(scene),
    is: 'fact',
    code: 'DaemonSetPod',
    text: `${refOf(scene)} is of ${of}, which would start it again on ${nodeName} immediately, so a drain does not evict it`,
    evidence: [`its controller is ${of}`],
    next: [{ note: 'it ends with the machine; a roll moves it where drain.daemonSets selects it' }],
  })
}

function unmanaged(scene: PodScene): ExplainFinding {
  const { namespace, name } = scene.seen.pod
  return finding({
    ...base(scene),
    is: 'stuck',
    code: 'PodUnmanaged',
    text: `${refOf(scene)} has no controller that would replace it, so a drain refuses it`,
    evidence: ['no owner of it has controller: true'],
    next: [
      { command: kubectl`-n ${namespace} delete pod ${name}`, note: 'if it is not needed any more' },
      { note: 'kubectl drain deletes it with --force, a roll with drain.deleteUnmanaged: true' },
    ],
  })
}

const emptyDir = (scene: PodScene): ExplainFinding =>
  finding({
    ...base(scene),
    is: 'fact',
    code: 'PodEmptyDir',
    text: `${refOf(scene)} keeps data in an emptyDir, which is lost when it moves`,
    evidence: ['it mounts a volume of kind emptyDir'],
    next: [{ note: 'kubectl drain needs --delete-emptydir-data, a roll drain.deleteEmptyDirData: true' }],
  })

/** The answer to its eviction. */
function evicted(scene: PodScene): readonly ExplainFinding[] {
  const { seen, budgets = [], answer } = scene
  const { pod } = seen
  if (answer === undefined && scene.budgets === undefined && !isFinished(pod)) return [unknown(scene)]
  const said = answer ?? (isFinished(pod) ? ({ kind: 'accepted' } as const) : answerByBudgets(pod, budgets))
  const mine = budgetsOver(pod, budgets)
  const evidence = [...(answer === undefined ? [] : [triedText(answer)]), ...mine.map(arithmetic)]
  if (said.kind === 'accepted' || said.kind === 'gone' || said.kind === 'replaced')
    return [finding({ ...base(scene), is: 'fact', code: 'MayLeave', text: mayLeaveText(scene), evidence })]
  const { code, text, never } = evictionRefusal(pod, said, budgets)
  const is = never === true || code === 'EvictionRefused' ? 'stuck' : 'waits'
  const next = nextOf(pod, said, mine)
  return [finding({ ...base(scene), is, code, text: asSentence(text), evidence, next })]
}

const mayLeaveText = (scene: PodScene): string =>
  isFinished(scene.seen.pod) ? `${refOf(scene)} has ended, and may be removed` : `${refOf(scene)} may be evicted now`

const unknown = (scene: PodScene): ExplainFinding =>
  finding({
    ...base(scene),
    is: 'fact',
    code: 'EvictionUnknown',
    text: `whether ${refOf(scene)} may be evicted is not known: neither its budgets nor a dry run could be asked`,
  })

const REFUSALS: Partial<Readonly<Record<EvictionAnswer['kind'], string>>> = {
  budget: 'HTTP 429, because of a disruption budget',
  budgetStale: 'HTTP 429: the budget is still being processed',
  budgetBroken: 'HTTP 429: the budget cannot be computed',
  throttled: 'HTTP 429, because of priority and fairness',
  twoBudgets: 'HTTP 500: more than one budget',
}

function triedText(answer: EvictionAnswer): string {
  if (answer.kind === 'accepted') return 'a dry run of its eviction was accepted'
  if (answer.kind === 'refused')
    return `a dry run of its eviction was refused with HTTP ${answer.status}: ${answer.text}`
  if (answer.kind === 'putOff') return `a dry run of its eviction was refused with HTTP 429: ${answer.text}`
  if (answer.kind === 'passing') return `a dry run of its eviction failed: ${answer.text}`
  return `a dry run of its eviction was refused with ${REFUSALS[answer.kind] ?? answer.kind}`
}

function nextOf(pod: Pod, said: EvictionAnswer, mine: readonly DisruptionBudget[]): readonly Next[] {
  const { namespace, nodeName = '' } = pod
  const guard = guardOf(pod)
  if (guard !== undefined && said.kind !== 'twoBudgets')
    return [
      {
        command: evenkeel`guard explain nodeguard/${guard} --node ${nodeName} -n ${namespace}`,
        note: 'what the guard waits for',
      },
    ]
  const [first] = mine
  switch (said.kind) {
    case 'twoBudgets':
      return mine.map(({ name }) => ({
        command: kubectl`-n ${namespace} edit poddisruptionbudget ${name}`,
        note: 'let only one budget select each pod',
      }))
    case 'budget':
    case 'budgetStale':
    case 'budgetBroken': {
      const named = mine.find(({ name }) => name === said.refusal.budget) ?? first
      return named === undefined ? [] : budgetNext(pod, named)
    }
    case 'namespaceTerminating':
      return [{ command: kubectl`get namespace ${namespace} -o yaml`, note: 'what keeps it' }]
    case 'refused':
      return [{ note: 'RBAC or an admission webhook refuses it: the answer says which' }]
    default:
      return [{ note: 'wait, and ask again' }]
  }
}
