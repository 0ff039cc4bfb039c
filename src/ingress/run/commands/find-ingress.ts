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

/**
 * Rejects with UserError rollout.not-found, rollout.ambiguous, and KUBE_NO_PATH where no group that is asked is served, and with
 * WorldError.
 */
export async function findIngress(
  objects: Pick<Objects, 'get'>,
  address: IngressAddress,
  signal: AbortSignal,
): Promise<CheckedIngress> {
  const { namespace, name, group } = address
  const groups = group === undefined ? INGRESS_GROUPS : [group]
  const found: CheckedIngress[] = []
  const pathless: WorldError[] = []
  let refusal: WorldError | undefined
  for (const each of groups) {
    try {
      const one = await servedOrAgain(() => objects.get({ kind: ingressKind(each), namespace, name }, signal))
      if (one !== undefined) found.push(one)
    } catch (error) {
      // Of the two groups, one is rarely installed.
      if (isNoPath(error)) pathless.push(error)
      // A user who may see only one of the groups has a right to that one.
      else if (error instanceof WorldError && error.code === 'KUBE_FORBIDDEN') refusal ??= error
      else throw error
    }
  }
  const [first, second] = found
  if (first === undefined)
    throw refusal ?? (pathless.length === groups.length ? notServed(pathless) : notFound(address, pathless))
  if (second === undefined) return first
  const forms = found.map((one) => `ingressdaemonset.${one.group}/${name}`)
  throw new UserError(`namespace ${namespace} has an IngressDaemonSet ${name} in each of two groups`, {
    code: 'rollout.ambiguous',
    fix: `name the group: ${forms.join(' or ')}`,
  })
}

/** A 404 that names no object is that of a kind that is not installed, or for a moment a page of a gateway: it is asked once more. */
export async function servedOrAgain<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (isNoPath(error)) return ask()
    throw error
  }
}

const isNoPath = (error: unknown): error is WorldError => error instanceof WorldError && error.code === 'KUBE_NO_PATH'

const saidBy = (errors: readonly WorldError[]): string => errors.map(({ message }) => message).join('; ')

const notServed = (errors: readonly WorldError[]): UserError =>
  new UserError(`IngressDaemonSets are not installed, or a gateway answers for the API server: ${saidBy(errors)}`, {
    code: 'KUBE_NO_PATH',
    fix: say`${kubectl`get crd ingressdaemonsets.evenkeel.dev`} shows whether they are installed; deploy/crd has the file. If they are, repeat the command, and check the gateway before the API server`,
    cause: errors[0],
  })

const notFound = ({ namespace, name, group }: IngressAddress, unasked: readonly WorldError[]): UserError =>
  new UserError(
    `namespace ${namespace} has no IngressDaemonSet ${name}${unasked.length === 0 ? '' : `, as far as it could be asked: ${saidBy(unasked)}`}`,
    {
      code: 'rollout.not-found',
      fix: say`${kubectl`get ingressdaemonsets${group === undefined ? '' : `.${group}`} --all-namespaces`} lists those that there are; -n names another namespace`,
    },
  )
