import { type ApiCall, segment } from '../../ground/kube/api-call.ts'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import { askObject } from '../../ground/kube/api-object.ts'
import type { JsonPatch } from '../../ground/model/json-patch.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import { RELAY_CONTAINER, relayArgs } from './relay-jobs.ts'

interface EphemeralRelay {
  readonly pod: ObjectRef
  /** Of the container, which no other one of the pod may have had. */
  readonly name: string
  readonly image: string
  readonly port: number
}

interface HostPod {
  readonly node?: string
  readonly resourceVersion: string
  /** Whether it has had an ephemeral container before. */
  readonly hasOthers: boolean
  /** Of containers by their names: running, ended, or what they wait for. */
  readonly states: ReadonlyMap<string, ContainerState>
}

type ContainerState = { readonly is: 'running' | 'ended' | 'waiting'; readonly waitingFor?: string }

/** It takes the right to get the pod. Rejects as ApiClient does. */
export function readHostPod(client: ApiClient, pod: ObjectRef, signal: AbortSignal): Promise<HostPod> {
  const call: ApiCall = { verb: 'get', resource: 'pods', path: pathOf(pod) }
  return askObject(client, { call, parse: parseHostPod }, signal)
}

/** For as long as the pod lives its spec names the container: none can be taken away again. It takes pods/ephemeralcontainers patch. */
export async function addEphemeralRelay(
  client: ApiClient,
  { pod, name, image, port }: EphemeralRelay,
  signal: AbortSignal,
): Promise<HostPod> {
  const found = await readHostPod(client, pod, signal)
  const container = { ...RELAY_CONTAINER, name, image, args: relayArgs(port) }
  const body: JsonPatch = [
    { op: 'test', path: '/metadata/resourceVersion', value: found.resourceVersion },
    found.hasOthers
      ? { op: 'add', path: '/spec/ephemeralContainers/-', value: container }
      : { op: 'add', path: '/spec/ephemeralContainers', value: [container] },
  ]
  const path = `${pathOf(pod)}/ephemeralcontainers`
  const call: ApiCall = { verb: 'patch', resource: 'pods/ephemeralcontainers', path, body }
  return askObject(client, { call, parse: parseHostPod }, signal)
}

const pathOf = ({ namespace, name }: ObjectRef): string =>
  `/api/v1/namespaces/${segment(namespace)}/pods/${segment(name)}`

function parseHostPod(object: Untrusted): HostPod {
  const [metadata, spec, status] = [object.at('metadata'), object.at('spec'), object.at('status')]
  const statuses = status.at('ephemeralContainerStatuses').each()
  return {
    ...present({ node: spec.at('nodeName').optionalText() }),
    resourceVersion: metadata.at('resourceVersion').text(),
    hasOthers: spec.at('ephemeralContainers').each().length > 0,
    states: new Map(statuses.map((one) => [one.at('name').text(), stateOf(one.at('state'))])),
  }
}

function stateOf(state: Untrusted): ContainerState {
  if (!state.at('running').absent) return { is: 'running' }
  if (!state.at('terminated').absent) return { is: 'ended' }
  return { is: 'waiting', ...present({ waitingFor: state.at('waiting').at('reason').optionalText() }) }
}
