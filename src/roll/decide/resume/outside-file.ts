import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { nodeMarkOf } from '../../../service/actuators/actuator-of.ts'
import { belongsTo } from '../../../service/decide/match-node-servers.ts'
import type { RecordedServer } from '../../../service/model/node-record.ts'
import type { SpecFinding } from '../../model/file-finding.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { NodeOut } from './nodes-out.ts'

/**
 * A process that puts a node back without the journal of its run must have all of its actuators: these are the ones that the
 * file does not have. A server that is not at the node's own address was never changed by the run.
 */
export function outsideFile(out: readonly NodeOut[], spec: RollSpec): readonly SpecFinding[] {
  return out.flatMap(({ node, record }) => [
    ...(record.slotNamespace === undefined || record.slotNamespace === spec.slots.namespace
      ? []
      : [
          {
            path: ['spec', 'slots', 'namespace'],
            text: `the slot of run ${record.run} is in namespace "${record.slotNamespace}"`,
            fix: `namespace: ${record.slotNamespace}`,
          },
        ]),
    ...record.servers
      .filter((server) => belongsTo(server, node) && !reaches(spec, server))
      .map(({ balancer, instance, backend, server }) => ({
        path: ['spec', 'balancers'],
        text: `${node.name} was taken out of ${backend}/${server} on ${instance} of "${balancer}", which the file does not name`,
        fix: `name balancer "${balancer}", instance "${instance}" and backend "${backend}" as in the file of the roll`,
      })),
    ...record.servers
      .filter((server) => reaches(spec, server))
      .flatMap((server) => marksFinding(node.name, spec, server)),
  ])
}

/** Another mark than the one that is on the Node would leave that one where it is. */
function marksFinding(node: string, { balancers }: RollSpec, { balancer, nodeMark }: RecordedServer) {
  const index = balancers.findIndex(({ name }) => name === balancer)
  const wanted = balancers[index]
  if (nodeMark === undefined || wanted === undefined || nodeMarkOf(wanted) === nodeMark) return []
  return [
    {
      path: ['spec', 'balancers', index],
      text: `${node} was taken out of "${balancer}" by ${escapeForeign(nodeMark)} on its Node, which the file does not have`,
      fix: 'write it as in the file of the roll',
    },
  ]
}

const reaches = ({ balancers }: RollSpec, { balancer, instance, backend }: RecordedServer): boolean =>
  balancers.some(
    (spec) => spec.name === balancer && spec.backends.includes(backend) && spec.instances.includes(instance),
  )
