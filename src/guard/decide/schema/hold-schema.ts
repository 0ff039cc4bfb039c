import { annotationKey } from '../../../ground/model/schema/annotation-key.ts'
import { labels } from '../../../ground/model/schema/label-schema.ts'
import { integer, list, object, type Schema, text } from '../../../ground/model/schema/open-api.ts'
import { GUARD_DEFAULTS } from '../../model/guard-defaults.ts'
import { HOLD_RULES, HTTP_RULES } from './guard-rules.ts'

export const holds = (): Schema =>
  list(
    'Why a node may not be drained yet. A node is granted once all of its holds are clear. A hold that cannot be read counts as held. At most 16.',
    object(
      'One hold, with exactly one of volumes, pods, http, object and annotation.',
      {
        name: text('Name of the hold, as messages call it. Example: volumes.', { minLength: 1, maxLength: 63 }),
        volumes: volumes(),
        pods: pods(),
        http: http(),
        object: objectHold(),
        annotation: object(
          'An annotation of the Node. It holds the node while it is there, whatever its value.',
          { key: annotationKey('Key of the annotation. Example: storage.example.com/busy.') },
          { required: ['key'] },
        ),
      },
      { required: ['name'], rules: HOLD_RULES },
    ),
    { maxItems: 16, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  )

const volumes = (): Schema =>
  object('Volumes that are attached to the node, by the VolumeAttachments of its CSI drivers.', {
    drivers: list(
      'Names of CSI drivers. By default, the volumes of every driver hold the node. Example: [driver.longhorn.io].',
      { type: 'string', minLength: 1, maxLength: 253 },
      { maxItems: 16, 'x-kubernetes-list-type': 'set' },
    ),
  })

const pods = (): Schema =>
  object(
    'Pods on the node, except pods that have ended.',
    {
      namespace: text('Their namespace. By default, pods of every namespace hold the node.', {
        minLength: 1,
        maxLength: 63,
      }),
      selector: labels('Labels that they have, all of them. Example: {app: database}.', { minProperties: 1 }),
    },
    { required: ['selector'] },
  )

const http = (): Schema =>
  object(
    'The answer of a URL, asked by the controller. It is clear if the status is 200 to 299 and, with jsonPath, exactly one value is at that path and is the text of equals.',
    {
      url: text(
        'The URL. {node} stands for the name of the node, {address} for its address. Example: "http://{address}:9500/drain/{node}".',
        { minLength: 1, maxLength: 2_048 },
      ),
      jsonPath: text('Where the value is in the answer, as RFC 9535 writes it. Example: "$.status".', {
        minLength: 1,
        maxLength: 256,
      }),
      equals: text('The value that means that the hold is clear. Example: green.', { maxLength: 256 }),
      timeoutSeconds: integer(
        `Seconds for the whole answer. From 1 to 8; defaults to ${GUARD_DEFAULTS.httpTimeoutSeconds}.`,
        { minimum: 1, maximum: 8, default: GUARD_DEFAULTS.httpTimeoutSeconds },
      ),
    },
    { required: ['url'], rules: HTTP_RULES },
  )

const objectHold = (): Schema =>
  object(
    'A condition on one object of the API. The controller needs the right to get it.',
    {
      group: text('Its API group. Defaults to the core group. Example: ceph.rook.io.', { maxLength: 253 }),
      version: text('Its API version. Example: v1.', { minLength: 1, maxLength: 63 }),
      resource: text('Its kind as in URLs: the plural, in lower case. Example: cephclusters.', {
        minLength: 1,
        maxLength: 63,
      }),
      namespace: text('Its namespace. By default, the object is cluster-scoped.', { minLength: 1, maxLength: 63 }),
      name: text('Its name. {node} stands for the name of the node. Example: rook-ceph.', {
        minLength: 1,
        maxLength: 253,
      }),
      clearWhen: text(
        `A CEL expression that is true if the hold is clear. object is the object, node is the name of the node. Example: "object.status.ceph.health == 'HEALTH_OK'".`,
        { minLength: 1, maxLength: 1_024 },
      ),
    },
    { required: ['version', 'resource', 'name', 'clearWhen'] },
  )
