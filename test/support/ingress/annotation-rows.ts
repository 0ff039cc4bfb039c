import { type IngressRow, R, rolling, row } from './ingress-row.ts'

const NODE = { key: 'node-detacher.variant.run/detached', value: 'true', gracePeriodSeconds: 10 }
const WAIT = { key: 'node-detacher.variant.run/detachment-timestamp', format: 'RFC3339', gracePeriodSeconds: 30 }
const PROBE = { intervalSeconds: 5, unhealthyThreshold: 3, healthyThreshold: 2 }

const detached = (fields: Readonly<Record<string, unknown>>, spec = {}): object =>
  rolling({ maxUnavailableNodes: 1, ...fields }, spec)
const withKey = (key: string): object => detached({ annotateNodeToDetach: { key } })
const KEY = `${R}.annotateNodeToDetach.key`

export const annotationRows: readonly IngressRow[] = [
  row('a mark on the Deployment with nothing said of it', detached({ annotateDeploymentToDetach: {} })),
  row(
    'every mark',
    detached({
      annotateDeploymentToDetach: { key: 'a', value: 'b', gracePeriodSeconds: 0 },
      annotateNodeToDetach: NODE,
      waitForDetachmentByAnnotatedTimestamp: WAIT,
    }),
  ),
  row(
    'a timestamp without a request',
    detached({ waitForDetachmentByAnnotatedTimestamp: WAIT }),
    `waitWithoutRequest ${R}.waitForDetachmentByAnnotatedTimestamp`,
  ),
  row(
    'one key for the request and the timestamp',
    detached({ annotateNodeToDetach: NODE, waitForDetachmentByAnnotatedTimestamp: { key: NODE.key } }),
    `oneKeyForBoth ${R}.waitForDetachmentByAnnotatedTimestamp.key`,
  ),
  row(
    'another format',
    detached({ annotateNodeToDetach: NODE, waitForDetachmentByAnnotatedTimestamp: { ...WAIT, format: 'UnixDate' } }),
    `notAChoice ${R}.waitForDetachmentByAnnotatedTimestamp.format`,
  ),
  row('a mark without a key', detached({ annotateNodeToDetach: {} }), `missingField ${KEY}`),
  row('a key without a domain', withKey('detached')),
  row('a key and its value in one', withKey('example.com/detached=a/b c=d'), `valueInKey ${KEY}`),
  row('a key and no value after it', withKey('example.com/detached='), `valueInKey ${KEY}`),
  row(
    'a value in one with a key of Kubernetes',
    withKey('flannel.k8s.io/mark=x'),
    `keyOfKubernetes ${KEY}`,
    `valueInKey ${KEY}`,
  ),
  row('a value without a key', withKey('=x'), `notAKey ${KEY}`, `valueInKey ${KEY}`),
  row(
    'a value in one with its key, and another one beside it',
    detached({ annotateNodeToDetach: { key: 'detached=x', value: 'y' } }),
    `valueTwice ${R}.annotateNodeToDetach.value`,
    `valueInKey ${KEY}`,
  ),
  row(
    'one key for the request, in one with its value, and the timestamp',
    detached({
      annotateNodeToDetach: { key: 'example.com/d=x' },
      waitForDetachmentByAnnotatedTimestamp: { key: 'example.com/d' },
    }),
    `oneKeyForBoth ${R}.waitForDetachmentByAnnotatedTimestamp.key`,
    `valueInKey ${KEY}`,
  ),
  row('a key with a space', withKey('node detached'), `notAKey ${KEY}`),
  row('an empty key', withKey(''), `notAKey ${KEY}`),
  row('a key of two parts too many', withKey('a/b/c'), `notAKey ${KEY}`),
  row('a domain in capitals', withKey('Example.com/a'), `notAKey ${KEY}`),
  row('the longest key', withKey(`${'a'.repeat(253)}/${'b'.repeat(63)}`)),
  row('a domain that is too long', withKey(`${'a'.repeat(254)}/b`), `notAKey ${KEY}`),
  row('a name that is too long', withKey(`a/${'b'.repeat(64)}`), `notAKey ${KEY}`),
  row('an annotation of Even Keel', withKey('evenkeel.dev/maintenance'), `keyOfOurs ${KEY}`),
  row('an annotation of a domain below that', withKey('x.evenkeel.dev/mark'), `keyOfOurs ${KEY}`),
  row('an annotation of a domain that only ends so', withKey('notevenkeel.dev/mark')),
  row('an annotation of Kubernetes', withKey('kubernetes.io/limit-ranger'), `keyOfKubernetes ${KEY}`),
  row(
    'an annotation of a domain of Kubernetes',
    withKey('cluster-autoscaler.kubernetes.io/mark'),
    `keyOfKubernetes ${KEY}`,
  ),
  row('an annotation of k8s.io', withKey('flannel.k8s.io/mark'), `keyOfKubernetes ${KEY}`),
  row(
    'a grace of more than a day',
    detached({ annotateNodeToDetach: { ...NODE, gracePeriodSeconds: 86_401 } }, { progressDeadlineSeconds: 86_400 }),
    'deadlineTooShort spec.progressDeadlineSeconds',
    `outOfBounds ${R}.annotateNodeToDetach.gracePeriodSeconds`,
  ),
  row(
    'a negative grace',
    detached({ annotateDeploymentToDetach: { gracePeriodSeconds: -1 } }),
    `outOfBounds ${R}.annotateDeploymentToDetach.gracePeriodSeconds`,
  ),
  row(
    'marks where no node is detached',
    rolling({
      maxDegradedNodes: 1,
      annotateDeploymentToDetach: {},
      annotateNodeToDetach: NODE,
      waitForDetachmentByAnnotatedTimestamp: WAIT,
    }),
    `deploymentMarkInPlace ${R}.annotateDeploymentToDetach`,
    `nodeMarkInPlace ${R}.annotateNodeToDetach`,
    `waitInPlace ${R}.waitForDetachmentByAnnotatedTimestamp`,
  ),
  row('graces just below the deadline', detached({ annotateNodeToDetach: NODE }, { progressDeadlineSeconds: 31 })),
  row(
    'graces as long as the deadline',
    detached({ annotateNodeToDetach: NODE }, { progressDeadlineSeconds: 30 }),
    'deadlineTooShort spec.progressDeadlineSeconds',
  ),
  row(
    'a timestamp and seconds of readiness that leave no time',
    detached(
      { annotateNodeToDetach: NODE, waitForDetachmentByAnnotatedTimestamp: WAIT, attachGraceSeconds: 0 },
      { minReadySeconds: 550 },
    ),
    'deadlineTooShort spec.progressDeadlineSeconds',
  ),
  row(
    'graces that suit the load balancer',
    detached({ annotateDeploymentToDetach: { gracePeriodSeconds: 15 } }, { loadBalancerProbe: PROBE }),
  ),
  row(
    'graces that are too short for it',
    detached({ attachGraceSeconds: 9 }, { loadBalancerProbe: PROBE }),
    `graceBelowProbe ${R}.annotateDeploymentToDetach.gracePeriodSeconds`,
    `attachGraceBelowProbe ${R}.attachGraceSeconds`,
  ),
]
