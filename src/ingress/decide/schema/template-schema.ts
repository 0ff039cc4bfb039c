import { labels } from '../../../ground/model/schema/label-schema.ts'
import { integer, list, object, type Rest, type Schema, text } from '../../../ground/model/schema/open-api.ts'

const MORE: Rest = { 'x-kubernetes-preserve-unknown-fields': true }

const port = (): Schema =>
  object(
    'A port of the container.',
    {
      containerPort: integer('Port in the network of the pod.', { minimum: 1, maximum: 65_535 }),
      hostPort: integer(
        'Port of the node. One pod of a node can have it, so podsPerNode must be 1 and maxSurgedPodsPerNode 0. Leave it out, and serve by a Service of type NodePort with externalTrafficPolicy: Local.',
        { minimum: 0, maximum: 65_535 },
      ),
    },
    { ...MORE, required: ['containerPort'] },
  )

const containers = (description: string, rest: Rest = {}): Schema =>
  list(
    description,
    object(
      'A container, as in a pod.',
      {
        name: text('Name of the container.', { maxLength: 63 }),
        image: text('Image of the container.', { maxLength: 1024 }),
        ports: list('Ports of the container.', port(), { maxItems: 64 }),
      },
      { ...MORE, required: ['name'] },
    ),
    { maxItems: 32, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], ...rest },
  )

/** Of a PodTemplateSpec the fields that rules go by; the others pass as they are, and the API server judges them in the Deployments. */
export const template = (): Schema =>
  object(
    'The pods of each node, as in a Deployment. Every field of a pod template is allowed; those below are subject to rules.',
    {
      metadata: object(
        'Labels and annotations of the pods.',
        {
          labels: labels(
            'Labels of the pods, at least one; they are kept as they are, so that a Service can select them. The controller adds labels of evenkeel.dev to them. Example: {app: ingress-nginx}.',
          ),
          annotations: {
            description: 'Annotations of the pods.',
            type: 'object',
            maxProperties: 256,
            additionalProperties: { type: 'string' },
          },
        },
        MORE,
      ),
      spec: object(
        'The pod, as in a Deployment.',
        {
          containers: containers('Containers of the pod.', { minItems: 1 }),
          initContainers: containers('Containers that run before the others, or beside them.'),
          hostNetwork: {
            description:
              'The pods use the network of the node. With more than one pod on a node no container may declare ports: the program has to listen with SO_REUSEPORT. Defaults to false.',
            type: 'boolean',
          },
          nodeSelector: labels('Labels that a node must have, besides those of spec.nodeSelector.'),
          nodeName: text('Must be absent, because the pods run on all nodes.', { maxLength: 253 }),
          restartPolicy: text('Always, which is the default.', { maxLength: 63 }),
          activeDeadlineSeconds: {
            description: 'Must be absent, because it would end pods that serve.',
            type: 'integer',
            format: 'int64',
          },
        },
        { ...MORE, required: ['containers'] },
      ),
    },
    { required: ['spec'] },
  )
