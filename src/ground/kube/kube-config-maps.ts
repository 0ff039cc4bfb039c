import type { ConfigMap } from '../model/config-map.ts'
import type { JsonPatch } from '../model/json-patch.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { parseMetadata } from '../model/parse-metadata.ts'
import type { Untrusted } from '../model/untrusted.ts'
import type { ConfigMaps } from '../ports/config-maps.ts'
import { type ApiCall, segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { askObject, findObject } from './api-object.ts'

const RESOURCE = 'configmaps'

/** Needs the rights to create ConfigMaps, and to get and patch the one with this name. */
export const kubeConfigMaps = (client: ApiClient): ConfigMaps => ({
  read: async (ref, signal) =>
    findObject(client, { call: { verb: 'get', resource: RESOURCE, path: pathOf(ref) }, parse }, signal),
  write: async (configMap, signal) => askObject(client, { call: writeOf(configMap), parse }, signal),
})

/** A patch and no PUT: labels, and other data that a chart set, stay. */
const writeOf = (configMap: ConfigMap): ApiCall =>
  configMap.resourceVersion === ''
    ? { verb: 'create', resource: RESOURCE, path: collectionOf(configMap), body: newConfigMap(configMap) }
    : { verb: 'patch', resource: RESOURCE, path: pathOf(configMap), body: replacement(configMap) }

const collectionOf = ({ namespace }: ObjectRef): string => `/api/v1/namespaces/${segment(namespace)}/configmaps`

const pathOf = (ref: ObjectRef): string => `${collectionOf(ref)}/${segment(ref.name)}`

function newConfigMap({ namespace, name, annotations, data }: ConfigMap) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, annotations }, data }
}

const replacement = ({ resourceVersion, annotations, data }: ConfigMap): JsonPatch => [
  { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
  { op: 'add', path: '/metadata/annotations', value: annotations },
  { op: 'add', path: '/data', value: data },
]

function parse(object: Untrusted): ConfigMap {
  const { namespace, name, resourceVersion, annotations } = parseMetadata(object, 'namespaced')
  return { namespace, name, resourceVersion, annotations, data: object.at('data').textMap() }
}
