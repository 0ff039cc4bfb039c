import { PATHS } from './api-object.ts'

/** A Node that is Ready, with room for every pod here, and no machine behind it. */
export async function makeStandInNode(
  ask: (method: string, path: string, body: object) => Promise<unknown>,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  await ask('POST', PATHS.nodes, { metadata: { name, labels: { ...labels, 'kubernetes.io/hostname': name } } })
  const at = new Date().toISOString().replace(/\.\d+/, '')
  const condition = { type: 'Ready', status: 'True', lastHeartbeatTime: at, lastTransitionTime: at }
  const room = { cpu: '64', memory: '64Gi', pods: '250' }
  await ask('PATCH', `${PATHS.nodes}/${name}/status`, {
    status: { conditions: [{ ...condition, reason: 'Test', message: '' }], capacity: room, allocatable: room },
  })
}
