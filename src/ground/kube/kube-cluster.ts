import type { Endpoint } from '../model/endpoint.ts'
import type { JsonPatch } from '../model/json-patch.ts'
import type { Node } from '../model/node.ts'
import type { Pod } from '../model/pod.ts'
import { present } from '../model/present.ts'
import type { Cluster, Kind, NodeVersion } from '../ports/cluster.ts'
import { forbiddenAccess } from './access-review.ts'
import type { ApiClient } from './api-client.ts'
import { askObject, findObject } from './api-object.ts'
import { CLUSTER_KINDS } from './cluster-kinds.ts'
import { deletePod, evict } from './evict.ts'
import { type FollowParts, follow } from './follow.ts'
import { heartbeatLease } from './heartbeat-lease.ts'
import { identity } from './identity.ts'
import { readLease, tryLease, writeLease } from './lease-store.ts'
import { listPages } from './list-pages.ts'
import { relabelPod } from './relabel-pod.ts'
import { objectPath, type Resource, resourceOf } from './resources.ts'
import { setConditions } from './set-conditions.ts'

/** The port's methods over one API server. */
export function kubeCluster(parts: FollowParts, server: Endpoint): Cluster {
  const { client } = parts
  return {
    server,
    identity: (signal) => identity(client, signal),
    list: async (kind, signal) => {
      const resource = { ...resourceOf({ kind: CLUSTER_KINDS[kind] }), ...present({ pageItems: PAGE_ITEMS[kind] }) }
      return (await listPages(parts, resource, signal)).objects
    },
    nodeVersions: async (signal) => (await listPages(parts, NODE_VERSIONS, signal)).objects,
    follow: async (kind, sink, signal) =>
      follow(parts, { kind: resourceOf({ kind: CLUSTER_KINDS[kind] }), sink }, signal),
    followHeartbeat: async (node, sink, signal) => follow(parts, { kind: heartbeatLease(node), sink }, signal),
    followPodsOf: async (node, sink, signal) => follow(parts, { kind: podsOf(node), sink }, signal),
    readNode: async (name, signal) => readNode(client, name, signal),
    patchNode: async (name, patch, signal) => patchNode(client, { name, patch }, signal),
    setConditions: async (change, signal) => setConditions(client, change, signal),
    evict: async (pod, options, signal) => evict(client, { pod, ...options }, signal),
    deletePod: async (pod, signal) => deletePod(client, pod, signal),
    relabelPod: async (pod, change, signal) => relabelPod(client, { pod, change }, signal),
    readLease: async (ref, signal) => readLease(client, ref, signal),
    writeLease: async (lease, signal) => writeLease(client, lease, signal),
    tryLease: (ref, signal) => tryLease(client, ref, signal),
    forbidden: (wanted, signal) => forbiddenAccess(client, wanted, signal),
  }
}

/** VolumeAttachments are small, and a NodeGuard reads all of them before a grant. */
const PAGE_ITEMS: Readonly<Partial<Record<Kind, number>>> = { volumeattachments: 5_000 }

function readNode(client: ApiClient, name: string, signal: AbortSignal): Promise<Node | undefined> {
  const call = { verb: 'get', resource: 'nodes', path: nodePath(name) } as const
  return findObject(client, { call, parse: NODES.parse }, signal)
}

function patchNode(
  client: ApiClient,
  { name, patch }: { readonly name: string; readonly patch: JsonPatch },
  signal: AbortSignal,
): Promise<Node> {
  const call = { verb: 'patch', resource: 'nodes', path: nodePath(name), body: patch } as const
  return askObject(client, { call, parse: NODES.parse }, signal)
}

const NODES = CLUSTER_KINDS.nodes

const podsOf = (node: string): Resource<Pod> =>
  resourceOf({ kind: CLUSTER_KINDS.pods, fieldSelector: `spec.nodeName=${node}` })

/** As many nodes as Kubernetes allows come in one page: ten pages of 500 take three times as long. */
const NODE_VERSIONS: Resource<NodeVersion> = {
  ...resourceOf({ kind: NODES }),
  pageItems: 5_000,
  accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
  parse: (object) => {
    const metadata = object.at('metadata')
    const [name, uid, resourceVersion] = [metadata.at('name'), metadata.at('uid'), metadata.at('resourceVersion')]
    return { name: name.text(), uid: uid.text(), resourceVersion: resourceVersion.text() }
  },
}

const nodePath = (name: string): string => objectPath({ kind: NODES, name })
