import { segment } from '../../ground/kube/api-call.ts'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import { findObject } from '../../ground/kube/api-object.ts'
import { findCondition } from '../../ground/kube/find-condition.ts'
import { listPages } from '../../ground/kube/list-pages.ts'
import type { Resource } from '../../ground/kube/resources.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { DnsEndpoint, DnsNode, DnsPod, DnsService, DnsServicePort } from '../model/dns-objects.ts'
import { runsNoRelay } from '../model/runs-no-relay.ts'
import type { DnsObjects, PodAddress } from '../ports/dns-objects.ts'

interface DnsObjectsParts {
  readonly client: ApiClient
  readonly log: Log
}

/** It takes the rights to list services, pods, endpointslices and nodes, and to get the ConfigMap of the Corefile. */
export function kubeDnsObjects(parts: DnsObjectsParts): DnsObjects {
  const list = async <T>(kind: Resource<T>, signal: AbortSignal): Promise<readonly T[]> =>
    (await listPages(parts, kind, signal)).objects
  return {
    services: (signal) => list({ path: '/api/v1/services', resource: 'services', parse: parseDnsService }, signal),
    pods: ({ namespace, selector }, signal) => {
      const labelSelector = Object.entries(selector)
        .map(([key, value]) => `${key}=${value}`)
        .join(',')
      const path = `/api/v1/namespaces/${segment(namespace)}/pods`
      return list({ path, resource: 'pods', parse: parseDnsPod, query: { labelSelector } }, signal)
    },
    addressesOfPodsOn: async (node, signal) => {
      const query = { fieldSelector: `spec.nodeName=${node},status.phase=Running` }
      return (await list({ path: '/api/v1/pods', resource: 'pods', parse: parsePodAddress, query }, signal)).flat()
    },
    endpoints: async ({ namespace, name, portName }, signal) => {
      const path = `/apis/discovery.k8s.io/v1/namespaces/${segment(namespace)}/endpointslices`
      const query = { labelSelector: `kubernetes.io/service-name=${name}` }
      const resource = 'endpointslices.discovery.k8s.io'
      const parse = (object: Untrusted): readonly DnsEndpoint[] => parseDnsEndpoints(object, portName)
      return (await list({ path, resource, parse, query }, signal)).flat()
    },
    configMap: ({ namespace, name }, signal) => {
      const path = `/api/v1/namespaces/${segment(namespace)}/configmaps/${segment(name)}`
      const call = { verb: 'get', resource: 'configmaps', path } as const
      return findObject(parts.client, { call, parse: (object) => object.at('data').textMap() }, signal)
    },
    nodes: (signal) => list({ path: '/api/v1/nodes', resource: 'nodes', parse: parseDnsNode }, signal),
  }
}

function parseDnsService(object: Untrusted): DnsService {
  const { namespace, name } = parseMetadata(object, 'namespaced')
  const spec = object.at('spec')
  const texts = (field: Untrusted): readonly string[] => field.each().map((item) => item.text())
  const addresses = texts(spec.at('clusterIPs')).filter((address) => address !== 'None')
  const ingress = object.at('status').at('loadBalancer').at('ingress').each()
  const policy = spec.at('internalTrafficPolicy').textOr('Cluster')
  const hasPolicy = policy !== 'Cluster' || spec.at('trafficDistribution').textOr('') !== ''
  return {
    namespace,
    name,
    addresses,
    ports: spec.at('ports').each().map(parsePort),
    ...present({ selector: spec.at('selector').absent ? undefined : spec.at('selector').textMap() }),
    outsideAddresses: [
      ...texts(spec.at('externalIPs')),
      ...ingress.flatMap((entry) => entry.at('ip').optionalText() ?? []),
    ],
    isUneven: hasPolicy || spec.at('sessionAffinity').textOr('None') !== 'None',
    ...(policy === 'Local' ? { isLocal: true } : {}),
    ...(spec.at('externalTrafficPolicy').textOr('Cluster') === 'Local' ? { isLocalOutside: true } : {}),
    createdAt: object.at('metadata').at('creationTimestamp').textOr(''),
  }
}

function parsePort(port: Untrusted): DnsServicePort {
  return {
    name: port.at('name').textOr(''),
    protocol: port.at('protocol').textOr('TCP'),
    port: port.at('port').integerOr(0),
    ...present({
      targetPort: port.at('targetPort').optionalIntegerOrText(),
      nodePort: port.at('nodePort').optionalInteger(),
    }),
  }
}

function parseDnsPod(object: Untrusted): DnsPod {
  const { namespace, name, uid } = parseMetadata(object, 'namespaced')
  const [spec, status] = [object.at('spec'), object.at('status')]
  const podIps = status.at('podIPs').each()
  const volumes = spec.at('volumes').each()
  const containers = spec.at('containers').each()
  const ports = containers.flatMap((container) => container.at('ports').each())
  const overUdp = ports.filter((port) => port.at('protocol').textOr('') === 'UDP')
  const udpPorts = overUdp.flatMap((port) => port.at('containerPort').optionalInteger() ?? [])
  const metrics = ports.find((port) => port.at('name').textOr('') === 'metrics')
  return {
    namespace,
    name,
    uid,
    ...present({ node: spec.at('nodeName').optionalText() || undefined }),
    addresses: podIps.map((entry) => entry.at('ip').textOr('')).filter((address) => address !== ''),
    phase: status.at('phase').textOr('Unknown'),
    ready: findCondition(object, 'Ready')?.status === 'True',
    terminating: !object.at('metadata').at('deletionTimestamp').absent,
    images: containers.map((container) => container.at('image').textOr('')),
    ...(udpPorts.length === 0 ? {} : { udpPorts }),
    ...present({ metricsPort: metrics?.at('containerPort').optionalInteger() }),
    configMaps: volumes.flatMap((volume) => volume.at('configMap').at('name').optionalText() ?? []),
    ...present({ runningSince: runningSince(object) }),
    endedBy: status
      .at('containerStatuses')
      .each()
      .flatMap((container) => container.at('lastState').at('terminated').at('reason').optionalText() ?? []),
  }
}

/**
 * Of the container that was started last, by the clock of its node; undefined where one of them does not run. None has run for longer than
 * the pod exists by the clock of the API server, also where that of the node is behind.
 */
function runningSince(object: Untrusted): string | undefined {
  const containers = object.at('status').at('containerStatuses').each()
  const since = containers.map((container) => container.at('state').at('running').at('startedAt').optionalText())
  const created = object.at('metadata').at('creationTimestamp').optionalText()
  return since.length === 0 || since.includes(undefined)
    ? undefined
    : [...since, created]
        .flatMap((at) => at ?? [])
        .toSorted()
        .at(-1)
}

function parsePodAddress(object: Untrusted): readonly PodAddress[] {
  const address = object.at('status').at('podIP').textOr('')
  const isOfNode = object.at('spec').at('hostNetwork').flagOr(false)
  return isOfNode || address === '' ? [] : [{ uid: object.at('metadata').at('uid').text(), address }]
}

/** A port of a slice has the name of the Service's port that leads to it. */
function parseDnsEndpoints(object: Untrusted, portName: string | undefined): readonly DnsEndpoint[] {
  const ports = object.at('ports').each()
  const udp = ports.find(
    (port) =>
      port.at('protocol').textOr('TCP') === 'UDP' &&
      (portName === undefined || port.at('name').textOr('') === portName),
  )
  return object
    .at('endpoints')
    .each()
    .map((endpoint) => {
      const conditions = endpoint.at('conditions')
      const target = endpoint.at('targetRef')
      return {
        addresses: endpoint
          .at('addresses')
          .each()
          .map((address) => address.text()),
        serving: conditions.at('serving').flagOr(conditions.at('ready').flagOr(true)),
        ...present({
          udpPort: udp?.at('port').optionalInteger(),
          podUid: target.at('kind').textOr('') === 'Pod' ? target.at('uid').optionalText() : undefined,
        }),
      }
    })
}

function parseDnsNode(object: Untrusted): DnsNode {
  const addresses = object.at('status').at('addresses').each()
  const labels = object.at('metadata').at('labels').textMap()
  const taints = object
    .at('spec')
    .at('taints')
    .each()
    .map((taint) => ({ key: taint.at('key').textOr('') }))
  return {
    name: object.at('metadata').at('name').text(),
    ...(runsNoRelay({ labels, taints }) ? { runsNoRelay: true } : {}),
    ready: findCondition(object, 'Ready')?.status === 'True',
    addresses: addresses
      .filter((entry) => entry.at('type').textOr('').endsWith('IP'))
      .map((entry) => entry.at('address').textOr('')),
  }
}
