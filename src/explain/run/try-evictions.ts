import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { EvictionAnswer } from '../../ground/model/eviction.ts'
import { isDaemonSetPod, isFinished } from '../../ground/model/pod.ts'
import type { SeenPod } from '../model/seen-pod.ts'
import type { ExplainPass } from './explain-sources.ts'

const AT_ONCE = 4
/** By default a node has at most some 110 pods. */
const TRIED_MAX = 250
/** The answer of an admission webhook to a dry run, which shows nothing about a real eviction. */
const REFUSES_DRY_RUNS = /does not support dry run|side effects/i

/**
 * The API server's answer to an eviction of each pod, by its uid. It is a dry run: each check is made, and nothing is stored.
 * Pods that no drain evicts are left out.
 */
export async function tryEvictions(
  pass: ExplainPass,
  pods: readonly SeenPod[],
): Promise<ReadonlyMap<string, EvictionAnswer>> {
  const { sources, options, unknowns, signal } = pass
  const wanted = pods.filter(isToLeave).slice(0, TRIED_MAX)
  if (!options.dryRun || wanted.length === 0) return new Map()
  const denied = await deniedNamespaces(pass, wanted)
  const asked = wanted.filter(({ pod }) => !denied.has(pod.namespace))
  const answers = await mapAtOnce(asked, AT_ONCE, async ({ pod }) => {
    const answer = await sources.cluster.evict(pod, { dryRun: true }, signal)
    return [pod.uid, answer] as const
  })
  const known = answers.filter(([, answer]) => !saysNothing(answer))
  if (known.length < answers.length)
    unknowns.add('some dry runs of evictions', 'an admission webhook refuses dry runs, so that its answer says nothing')
  return new Map(known)
}

const isToLeave = ({ pod }: SeenPod): boolean =>
  pod.ending === undefined && !pod.mirror && !isDaemonSetPod(pod) && !isFinished(pod) && pod.nodeName !== undefined

async function deniedNamespaces(
  { sources, unknowns, signal }: ExplainPass,
  pods: readonly SeenPod[],
): Promise<ReadonlySet<string>> {
  const names = [...new Set(pods.map(({ pod }) => pod.namespace))]
  const access = { verb: 'create', group: '', resource: 'pods', subresource: 'eviction' }
  const wanted = names.map((namespace) => ({ ...access, namespace }))
  const forbidden =
    (await unknowns.read('whether evictions may be tried', sources.cluster.forbidden(wanted, signal))) ?? wanted
  const denied = new Set(forbidden.flatMap(({ namespace }) => namespace ?? []))
  if (denied.size > 0)
    unknowns.add(
      'what the API server answers to evictions',
      `this identity is not allowed to create pods/eviction in ${[...denied].join(', ')}: see deploy/explain-rbac.yaml`,
    )
  return denied
}

const saysNothing = (answer: EvictionAnswer): boolean => answer.kind === 'refused' && REFUSES_DRY_RUNS.test(answer.text)
