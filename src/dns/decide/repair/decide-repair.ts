import { CAUSES } from '../causes.ts'
import type { DnsFinding } from '../diagnosis/finding.ts'
import { type Guard, guardsOf } from './guards.ts'
import type { RepairSnapshot, SickPod } from './repair-snapshot.ts'

export type RepairDecision =
  /** DNS is well, or its fault is not that of a single pod. `why` is a sentence. */
  | { readonly kind: 'nothing'; readonly why: string }
  | { readonly kind: 'held'; readonly sick: SickPod; readonly guards: readonly Guard[] }
  /**
   * `quarantine` takes the labels of the pod away, so that Services and ReplicaSet release it: another pod takes its place, and the
   * pod stays for examination. `evict` is for a pod whose replacement would start on the same node beside it.
   */
  | {
      readonly kind: 'act'
      readonly step: 'quarantine' | 'evict'
      readonly sick: SickPod
      /** The number of pods that its workload wants: so many must serve afterwards. */
      readonly wanted: number
      readonly guards: readonly Guard[]
    }

/** Repairs one pod at most, and only if every guard lets it. */
export function decideRepair(snapshot: RepairSnapshot): RepairDecision {
  const sick = sickPods(snapshot)
  const [first] = sick
  if (first === undefined) return { kind: 'nothing', why: whyNothing(snapshot.findings) }
  const guards = guardsOf(first, sick.length, snapshot)
  const { workload } = snapshot
  if (workload === undefined || guards.some(({ holds }) => !holds)) return { kind: 'held', sick: first, guards }
  const step = workload.kind === 'Deployment' ? 'quarantine' : 'evict'
  return { kind: 'act', step, sick: first, wanted: workload.desired, guards }
}

/** Pods with a fault of their own, each once. */
function sickPods({ scene, findings }: RepairSnapshot): readonly SickPod[] {
  const found = findings.flatMap(({ code, subjects }) =>
    CAUSES[code].repair === 'restartPod'
      ? subjects.flatMap(({ kind, name }) => (kind === 'pod' ? [{ name, code }] : []))
      : [],
  )
  return scene.pods.flatMap((pod) => {
    const one = found.find(({ name }) => name === pod.name)
    return one === undefined ? [] : [{ pod, code: one.code }]
  })
}

function whyNothing(findings: readonly DnsFinding[]): string {
  const codes = [...new Set(findings.map(({ code }) => code))]
  if (codes.every((code) => CAUSES[code].verdict === 'ok')) return 'DNS is healthy'
  return `${codes.join(', ')}: no DNS pod is at fault, so replacing one would cure nothing`
}
