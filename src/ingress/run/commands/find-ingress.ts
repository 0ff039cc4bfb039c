import { INGRESS_GROUPS, type IngressGroup } from '../../../ground/model/ingress-keys.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Objects } from '../../../ground/ports/objects.ts'
import { type CheckedIngress, ingressKind } from '../../decide/ingress-kind.ts'

export interface IngressAddress {
  readonly namespace: string
  readonly name: string
  /** Absent: the group that has an object of that name. */
  readonly group?: IngressGroup
}

/** `ingressdaemonset/web`, with the group if it is not ours, as kubectl takes it. */
export const targetText = ({ group, name }: Pick<CheckedIngress, 'group' | 'name'>): string =>
  `${fullKind(group)}/${name}`

const fullKind = (group: IngressGroup): string =>
  group === 'evenkeel.dev' ? 'ingressdaemonset' : `ingressdaemonset.${group}`

/** Rejects with UserError rollout.not-found and rollout.ambiguous, and with WorldError. */
export async function findIngress(
  objects: Pick<Objects, 'get'>,
  address: IngressAddress,
  signal: AbortSignal,
): Promise<CheckedIngress> {
  const { namespace, name, group } = address
  const found: CheckedIngress[] = []
  let refusal: WorldError | undefined
  for (const each of group === undefined ? INGRESS_GROUPS : [group]) {
    try {
      const one = await objects.get({ kind: ingressKind(each), namespace, name }, signal)
      if (one !== undefined) found.push(one)
    } catch (error) {
      if (!(error instanceof WorldError)) throw error
      // Of the two groups, one is rarely installed.
      if (error.code === 'KUBE_NO_PATH') continue
      // A user who may see only one of the groups has a right to that one.
      if (error.code !== 'KUBE_FORBIDDEN') throw error
      refusal ??= error
    }
  }
  const [first, second] = found
  if (first === undefined) throw refusal ?? notFound(address)
  if (second === undefined) return first
  const forms = found.map((one) => `ingressdaemonset.${one.group}/${name}`)
  throw new UserError(`namespace ${namespace} has an IngressDaemonSet ${name} in each of two groups`, {
    code: 'rollout.ambiguous',
    fix: `name the group: ${forms.join(' or ')}`,
  })
}

const notFound = ({ namespace, name, group }: IngressAddress): UserError =>
  new UserError(`namespace ${namespace} has no IngressDaemonSet ${name}`, {
    code: 'rollout.not-found',
    fix: say`${kubectl`get ingressdaemonsets${group === undefined ? '' : `.${group}`} --all-namespaces`} lists those that there are; -n names another namespace`,
  })
