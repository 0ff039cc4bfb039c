import { TEMPLATE_HASH_ANNOTATION } from '../../ground/model/ingress-keys.ts'
import { canonicalJson } from '../../ground/model/owned/canonical-json.ts'
import { shortHash } from '../../ground/model/owned/node-names.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { placeOf } from './checker-place.ts'
import { healthCheckerName } from './names.ts'
import { wantedMetadata } from './wanted-metadata.ts'

type Json = Readonly<Record<string, unknown>>

/** Of its pods alone. By it no Service, no gate and no Deployment of the object selects them. */
const CHECKER_LABEL = 'evenkeel.dev/health-checker'

/**
 * A new pod ends by itself after 8 s if it does not know what the old one knows (`--takeover-limit`). So one that lived for longer does,
 * and the old one may go.
 */
const MIN_READY_SECONDS = 11
const USER = 65_532
const MEMORY_DIR = '/run/evenkeel'

/**
 * The DaemonSet whose pods answer at the health ports of an IngressDaemonSet. One for all ports: which these are stands on the Deployments, so
 * another port replaces no pod. `names`: nodes that the spec does not select. The selector goes by the name, so that an object that is made anew may take over what an earlier one left.
 */
export function wantedHealthDaemonSet(
  ids: IngressDaemonSet,
  image: string,
  names: readonly string[] = [],
): WantedObject {
  const name = healthCheckerName(ids.name)
  const labels = { [CHECKER_LABEL]: ids.name }
  const template = { metadata: { labels }, spec: podSpec(ids, { image, names }) }
  return {
    metadata: wantedMetadata(ids, {
      name,
      annotations: { [TEMPLATE_HASH_ANNOTATION]: shortHash(canonicalJson(template)) },
    }),
    spec: {
      selector: { matchLabels: labels },
      minReadySeconds: MIN_READY_SECONDS,
      revisionHistoryLimit: 2,
      // The next pod listens beside the last one (SO_REUSEPORT), and that one ends afterwards.
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template,
    },
  }
}

/** No probe: a port of the node that a kubelet could ask comes and goes with the object, and a node that is out is no pod that is broken. */
function podSpec(
  ids: IngressDaemonSet,
  { image, names }: { readonly image: string; readonly names: readonly string[] },
): Json {
  const { imagePullPolicy, serviceAccountName } = ids.spec.healthChecker
  return {
    ...placeOf(ids, names),
    serviceAccountName,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    hostNetwork: true,
    dnsPolicy: 'Default',
    terminationGracePeriodSeconds: 10,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'health',
        image,
        imagePullPolicy,
        args: [
          'agent',
          `--ingress-only=${ids.group}/${ids.namespace}/${ids.name}`,
          `--memory-dir=${MEMORY_DIR}`,
          '--takeover-limit=8s',
        ],
        env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        volumeMounts: [{ name: 'memory', mountPath: MEMORY_DIR }],
      },
    ],
    // It outlasts the process and not a boot of the machine: pods that were ready then are not known to be.
    volumes: [{ name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
  }
}
