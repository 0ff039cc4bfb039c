import { INGRESS_LABEL, INGRESS_UID_LABEL } from '../../ground/model/ingress-keys.ts'
import { selectorMatches } from '../../ground/model/label-selector.ts'
import type { OutLimit } from '../../ground/model/out-limit.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import { maxOut } from '../../service/decide/budget/max-out.ts'
import type { CheckedIngress } from './ingress-kind.ts'
import type { Neighbours, PortService } from './neighbours.ts'
import { nodeCount, shareNode, takenPorts } from './node-ports.ts'

const ROLLING = 'spec.updateStrategy.rollingUpdate'

/** Of two objects that exclude each other, whether the other one goes on. */
type GivesWayTo = (other: CheckedIngress) => boolean

/**
 * The conflicts of an IngressDaemonSet with other objects of the cluster, which its schema cannot see. Of two objects that exclude each
 * other, the one that gives way has the finding.
 */
export function crossCheck(
  object: CheckedIngress,
  around: Neighbours,
  givesWayTo: GivesWayTo,
): readonly FieldFinding[] {
  const first = around.objects.filter(
    (other) => !isSame(object, other) && other.findings.every(isWarning) && givesWayTo(other),
  )
  return [
    ...otherGroup(object, first),
    ...sharedPorts(object, first, around),
    ...selectEachOther(object, first),
    ...portsOfServices(object, around.services),
    ...budgetsOfOthers(object, around),
    ...limits(object, around),
  ]
}

const isSame = (one: CheckedIngress, other: CheckedIngress): boolean =>
  one.group === other.group && one.namespace === other.namespace && one.name === other.name

const isWarning = ({ severity }: FieldFinding): boolean => severity === 'warning'

const named = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`

/** An object of the same name in the other group conflicts, since the names of owned objects do not contain the group. */
function otherGroup(object: CheckedIngress, others: readonly CheckedIngress[]): readonly FieldFinding[] {
  const other = others.find(({ namespace, name }) => namespace === object.namespace && name === object.name)
  if (other === undefined) return []
  return [
    {
      code: 'nameInOtherGroup',
      field: 'metadata.name',
      severity: 'error',
      text: `${other.group} has an IngressDaemonSet ${named(other)} as well, and the Deployments of both would have the same names`,
      fix: `choose another name, or first delete ingressdaemonsets.${other.group} ${other.name}`,
    },
  ]
}

function sharedPorts(
  object: CheckedIngress,
  others: readonly CheckedIngress[],
  { nodes }: Neighbours,
): readonly FieldFinding[] {
  const ports = takenPorts(object.spec)
  return others.flatMap((other) => {
    const theirs = new Map(takenPorts(other.spec).map((taken) => [taken.port, taken]))
    const shared = ports.filter(({ port }) => theirs.has(port))
    if (shared.length === 0 || !shareNode(object.spec, other.spec, nodes)) return []
    return shared.map(({ port, field, isHealth }): FieldFinding => {
      const use = theirs.get(port)?.isHealth ? 'answers health checks' : 'has a hostPort'
      return {
        code: 'portOfOther',
        field,
        severity: 'error',
        text: `IngressDaemonSet ${named(other)} ${use} at port ${port} of the same nodes`,
        fix: isHealth
          ? 'choose another port, also in the health check of the load balancer, or other nodes by spec.nodeSelector'
          : 'choose another port, or other nodes by spec.nodeSelector',
      }
    })
  })
}

/**
 * Two objects whose pods match each other's labels. Their own selectors have further labels, but Services of others cannot tell the pods
 * apart.
 */
function selectEachOther(object: CheckedIngress, others: readonly CheckedIngress[]): readonly FieldFinding[] {
  const selects = (one: CheckedIngress, other: CheckedIngress): boolean =>
    Object.keys(one.spec.selector).length > 0 &&
    selectorMatches({ matchLabels: one.spec.selector, matchExpressions: [] }, other.spec.template.labels)
  return others
    .filter((other) => other.namespace === object.namespace && (selects(object, other) || selects(other, object)))
    .map((other) =>
      warning('selectsOthersPods', {
        field: selects(object, other) ? 'spec.selector' : 'spec.template.metadata.labels',
        text: selects(object, other)
          ? `it selects the pods of IngressDaemonSet ${named(other)} as well, and a Service with this selector sends to both`
          : `IngressDaemonSet ${named(other)} selects these pods as well, and a Service with its selector sends to both`,
        fix: 'if that is not meant, give one label another value in spec.selector and in the labels of the template',
      }),
    )
}

/** A Service that came later causes only a warning, since it must not stop what runs. */
function portsOfServices(object: CheckedIngress, services: readonly PortService[]): readonly FieldFinding[] {
  const ports = takenPorts(object.spec)
  if (ports.length === 0) return []
  return services.flatMap((service) =>
    ports
      .filter(({ port }) => service.healthCheckNodePort === port || service.nodePorts.includes(port))
      .map(({ port, field, isHealth }): FieldFinding => {
        const use = service.healthCheckNodePort === port ? 'healthCheckNodePort' : 'nodePort'
        return {
          code: 'portOfService',
          field,
          severity: isHealth && service.createdAt < object.createdAt ? 'error' : 'warning',
          text: `port ${port} is the ${use} of Service ${named(service)}, which kube-proxy serves on each node${isHealth ? byProxy(use) : ''}`,
          fix: isHealth
            ? use === 'nodePort'
              ? 'choose another port, also in the health check of the load balancer'
              : CHECK_ANOTHER
            : 'choose another hostPort, or give the Service another port',
        }
      }),
  )
}

/** The page of the original project offers the port of a Service. kube-proxy binds it, so no agent can. */
const byProxy = (use: 'healthCheckNodePort' | 'nodePort'): string =>
  use === 'nodePort' ? '' : ' and answers 200 at as long as one pod is ready there, also while the pods change'

const CHECK_ANOTHER =
  'choose another port, such as 10080, and set the load balancer to check that one with the path /nodecheck (docs/ingress.md#the-health-ports); if it checks no other port than that of its Service, take nodes out by a detacher: annotateNodeToDetach'

/** Budgets of others over the pods. The API server answers the eviction of a pod with two budgets with 500 (eviction.go). */
function budgetsOfOthers(object: CheckedIngress, { budgets }: Neighbours): readonly FieldFinding[] {
  const { name, uid, namespace, spec } = object
  const labels = { ...spec.template.labels, [INGRESS_LABEL]: name, [INGRESS_UID_LABEL]: uid }
  return budgets
    .filter((budget) => budget.namespace === namespace && selectorMatches(budget.selector, labels))
    .map((budget) => ({
      code: 'secondBudget',
      field: 'spec.template.metadata.labels',
      severity: 'warning',
      text: `PodDisruptionBudget ${named(budget)} selects these pods, which have one each already, and no pod with two can be evicted, so drains fail`,
      fix: `delete PodDisruptionBudget ${budget.name}, or let it select other labels`,
    }))
}

function limits({ spec }: CheckedIngress, { nodes, limit }: Neighbours): readonly FieldFinding[] {
  const eligible = nodeCount(spec, nodes)
  const { minInServiceNodes } = spec.rollout
  if (eligible === 0) return []
  return [
    ...(minInServiceNodes < eligible
      ? []
      : [
          warning('noNodeMayLeave', {
            field: `${ROLLING}.minInServiceNodes`,
            text: `${minInServiceNodes} nodes are to stay in service and only ${eligible} have pods, so none is ever updated`,
            fix: `write at most ${eligible - 1}`,
          }),
        ]),
    ...(limit === undefined ? [] : moreThanBudget(spec, { eligible, limit, fleet: nodes.length })),
  ]
}

function moreThanBudget(
  { strategy }: CheckedIngress['spec'],
  of: { readonly eligible: number; readonly limit: OutLimit; readonly fleet: number },
): readonly FieldFinding[] {
  const isDetach = strategy.kind === 'detach'
  const field = isDetach ? 'maxUnavailableNodes' : 'maxDegradedNodes'
  const asked = isDetach ? strategy.maxUnavailableNodes : strategy.maxDegradedNodes
  const wanted = asked.kind === 'count' ? asked.count : Math.floor((of.eligible * asked.percent) / 100)
  const most = maxOut(of.limit, of.fleet)
  if (wanted <= most) return []
  return [
    warning('moreThanBudget', {
      field: `${ROLLING}.${field}`,
      text: `${wanted} nodes are more than the node budget lets out, which is ${most} of ${of.fleet}`,
      fix: `write ${most}, or raise maxOut in ConfigMap evenkeel-budget`,
    }),
  ]
}

const warning = (code: string, words: Pick<FieldFinding, 'field' | 'text' | 'fix'>): FieldFinding => ({
  ...words,
  code,
  severity: 'warning',
})
