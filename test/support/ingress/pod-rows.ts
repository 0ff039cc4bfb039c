import { CONTAINER, container, type IngressRow, ingress, pod, row, templateMetadata } from './ingress-row.ts'

const HTTP = { name: 'http', containerPort: 80, hostPort: 80 }
const SURGE = { updateStrategy: { rollingUpdate: { maxSurgedPodsPerNode: '50%' } } }
const TWO = { podsPerNode: 2 }
const CONTAINERS = 'spec.template.spec.containers'
const LABELS = 'spec.template.metadata.labels'

export const podRows: readonly IngressRow[] = [
  row('one pod with a port of the node', pod(container(HTTP))),
  row('one pod in the network of the node', pod({ ...container({ containerPort: 80 }), hostNetwork: true })),
  row('two pods with ports of their own', pod(container({ containerPort: 80 }), TWO)),
  row('two pods in the network of the node that declare nothing', pod({ hostNetwork: true }, TWO)),
  row('two pods with one port of the node', pod(container(HTTP), TWO), `sharedHostPort ${CONTAINERS}`),
  row('a pod more with a port of the node', pod(container(HTTP), SURGE), `sharedHostPort ${CONTAINERS}`),
  row(
    'two pods in the network of the node that declare a port',
    pod({ ...container({ containerPort: 80 }), hostNetwork: true }, TWO),
    `sharedHostNetwork ${CONTAINERS}`,
  ),
  row(
    'a port of the node in a second container',
    pod({ containers: [CONTAINER, { name: 'b', ports: [HTTP] }] }, TWO),
    `sharedHostPort ${CONTAINERS}`,
  ),
  row(
    'a port of the node in a container that runs beside',
    pod({ initContainers: [{ name: 'b', restartPolicy: 'Always', ports: [HTTP] }] }, TWO),
    `sharedHostPort ${CONTAINERS}`,
  ),
  row('ports for the health check', ingress({ healthCheckNodePorts: [10080, 10081] })),
  row(
    'a port for it that pods have',
    pod(container(HTTP), { healthCheckNodePorts: [80] }),
    'healthPortTaken spec.healthCheckNodePorts',
  ),
  row(
    'a port for it that pods have in the network of the node',
    pod({ ...container({ containerPort: 10_080 }), hostNetwork: true }, { healthCheckNodePorts: [10_080] }),
    'healthPortTaken spec.healthCheckNodePorts',
  ),
  row('one port for it twice', ingress({ healthCheckNodePorts: [80, 81, 80] }), 'twice spec.healthCheckNodePorts[2]'),
  row('port 0 for it', ingress({ healthCheckNodePorts: [0] }), 'outOfBounds spec.healthCheckNodePorts[0]'),
  row('port 65536 for it', ingress({ healthCheckNodePorts: [65_536] }), 'outOfBounds spec.healthCheckNodePorts[0]'),
  row(
    'more ports for it than may be',
    ingress({ healthCheckNodePorts: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
    'tooMany spec.healthCheckNodePorts',
  ),
  row(
    'ports for it that a Service may get',
    ingress({ healthCheckNodePorts: [29_999, 30_000, 32_767, 32_768] }),
    'amongNodePorts spec.healthCheckNodePorts[1]',
    'amongNodePorts spec.healthCheckNodePorts[2]',
  ),
  row('a pod for one node', pod({ nodeName: 'n1' }), 'nodeName spec.template.spec.nodeName'),
  row('no node by name', pod({ nodeName: '' })),
  row('a pod that ends', pod({ restartPolicy: 'Never' }), 'restartPolicy spec.template.spec.restartPolicy'),
  row('a pod that is restarted', pod({ restartPolicy: 'Always' })),
  row(
    'a pod with a deadline',
    pod({ activeDeadlineSeconds: 60 }),
    'activeDeadline spec.template.spec.activeDeadlineSeconds',
  ),
  row('pods without metadata', templateMetadata(undefined), `noLabels ${LABELS}`),
  row('pods without labels', templateMetadata({ annotations: { a: 'b' } }), `noLabels ${LABELS}`),
  row('pods with empty labels', templateMetadata({ labels: {} }), `noLabels ${LABELS}`),
  row('a label with a space', templateMetadata({ labels: { app: 'a b' } }), `notLabels ${LABELS}`),
  row('a label with a bad key', templateMetadata({ labels: { '-app': 'a' } }), `notLabels ${LABELS}`),
  row(
    'a label with a key that is too long',
    templateMetadata({ labels: { ['a'.repeat(318)]: 'a' } }),
    `notLabels ${LABELS}`,
  ),
  row(
    'a label that the controller sets',
    templateMetadata({ labels: { 'evenkeel.dev/node': 'n1' } }),
    `reservedLabel ${LABELS}`,
  ),
  row(
    'the label of the original',
    templateMetadata({ labels: { 'ingress-daemon-for-node': 'n1' } }),
    `reservedLabel ${LABELS}`,
  ),
  row(
    'an annotation that the controller sets',
    templateMetadata({ labels: { app: 'web' }, annotations: { 'ingressdaemonsets.mumoshu.github.io/x': '' } }),
    'reservedAnnotation spec.template.metadata.annotations',
  ),
  row('what kubectl create writes', templateMetadata({ labels: { app: 'web' }, creationTimestamp: null })),
  row('a selector that the labels carry', ingress({ selector: { matchLabels: { app: 'web' } } })),
  row(
    'a selector that they do not carry',
    ingress({ selector: { matchLabels: { app: 'web', tier: 'edge' } } }),
    'selectorMisses spec.selector.matchLabels',
  ),
  row('an empty selector', ingress({ selector: { matchLabels: {} } }), 'outOfBounds spec.selector.matchLabels'),
  row(
    'nodes by two selectors',
    pod({ nodeSelector: { edge: 'yes', disk: 'ssd' } }, { nodeSelector: { edge: 'yes', zone: 'a' } }),
  ),
  row(
    'nodes by two selectors that no node can meet',
    pod({ nodeSelector: { edge: 'yes' } }, { nodeSelector: { edge: 'no' } }),
    'selectorsDisagree spec.template.spec.nodeSelector',
  ),
]
