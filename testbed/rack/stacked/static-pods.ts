import { apiPort, nodeAddress } from '../../addresses.ts'
import { LAZY_COLLECTOR } from '../../machine/lazy-collector.ts'
import { apiServerFlags, controllerManagerFlags } from '../component-flags.ts'
import { controlPlaneNodes, type RackPlan } from '../plan.ts'

const KUBERNETES = '/etc/kubernetes'
const PKI = `${KUBERNETES}/pki`
const ETCD_PKI = `${PKI}/etcd`
const ETCD_DATA = '/var/lib/etcd'
/** Logs of API servers; a node keeps its /var/log over reboots. */
const AUDIT_LOGS = '/var/log/kubernetes'
export const auditPolicyFile = 'audit-policy.json'
const CLIENT_PORT = 2379
const PEER_PORT = 2380
const METRICS_PORT = 2381

interface Mount {
  readonly name: string
  readonly path: string
  readonly type: 'Directory' | 'DirectoryOrCreate' | 'File'
  readonly readOnly?: boolean
}

interface ProbeTarget {
  readonly host: string
  readonly port: number
  readonly scheme: 'HTTP' | 'HTTPS'
}

/**
 * Less than the pods that serve requests have: kubelet makes it the weight of the pod, and on two processors a control plane that boots
 * would leave nothing to the others of its node.
 */
const CPU_REQUEST = '5m'

interface StaticPod {
  readonly component: string
  readonly flags: readonly string[]
  readonly mounts: readonly Mount[]
  readonly probes: object
}

export const partsOfControlPlane = 4

/** The static pods of a control-plane node as kubeadm writes them, with fewer megabytes and processor time. */
export function staticPods(plan: RackPlan, node: string): readonly { readonly name: string; readonly pod: object }[] {
  return [etcd(plan, node), apiServer(node), controllerManager(plan), scheduler()].map((pod) => ({
    name: pod.component,
    pod: manifest(pod),
  }))
}

function etcd(plan: RackPlan, node: string): StaticPod {
  const url = (host: string, port: number): string => `https://${host}:${port}`
  const address = nodeAddress(node)
  const members = controlPlaneNodes(plan).map((member) => `${member}=${url(nodeAddress(member), PEER_PORT)}`)
  const target: ProbeTarget = { host: '127.0.0.1', port: METRICS_PORT, scheme: 'HTTP' }
  return {
    component: 'etcd',
    flags: [
      `--name=${node}`,
      `--data-dir=${ETCD_DATA}`,
      `--listen-client-urls=${url('127.0.0.1', CLIENT_PORT)},${url(address, CLIENT_PORT)}`,
      `--advertise-client-urls=${url(address, CLIENT_PORT)}`,
      `--listen-peer-urls=${url(address, PEER_PORT)}`,
      `--initial-advertise-peer-urls=${url(address, PEER_PORT)}`,
      `--listen-metrics-urls=http://127.0.0.1:${METRICS_PORT}`,
      `--initial-cluster=${members.join(',')}`,
      '--client-cert-auth=true',
      `--trusted-ca-file=${ETCD_PKI}/ca.crt`,
      `--cert-file=${ETCD_PKI}/server.crt`,
      `--key-file=${ETCD_PKI}/server.key`,
      '--peer-client-cert-auth=true',
      `--peer-trusted-ca-file=${ETCD_PKI}/ca.crt`,
      `--peer-cert-file=${ETCD_PKI}/peer.crt`,
      `--peer-key-file=${ETCD_PKI}/peer.key`,
      '--watch-progress-notify-interval=5s',
      // As etcd's tuning guide has it for slow machines: two processors carry three members and all else.
      '--heartbeat-interval=250',
      '--election-timeout=2500',
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    mounts: [
      { name: 'etcd-data', path: ETCD_DATA, type: 'DirectoryOrCreate' },
      { name: 'etcd-certs', path: ETCD_PKI, type: 'Directory', readOnly: true },
    ],
    probes: { ...startAndLive(target, '/readyz', '/livez'), ...ready(target) },
  }
}

function apiServer(node: string): StaticPod {
  const address = nodeAddress(node)
  const target: ProbeTarget = { host: address, port: apiPort, scheme: 'HTTPS' }
  const auditPolicy = `${KUBERNETES}/${auditPolicyFile}`
  return {
    component: 'kube-apiserver',
    flags: [
      `--etcd-servers=https://127.0.0.1:${CLIENT_PORT}`,
      `--etcd-cafile=${ETCD_PKI}/ca.crt`,
      `--etcd-certfile=${PKI}/apiserver-etcd-client.crt`,
      `--etcd-keyfile=${PKI}/apiserver-etcd-client.key`,
      ...apiServerFlags({ address, pki: PKI, auditPolicy, auditLog: `${AUDIT_LOGS}/audit.log` }),
    ],
    mounts: [
      { name: 'k8s-certs', path: PKI, type: 'Directory', readOnly: true },
      { name: 'audit-policy', path: auditPolicy, type: 'File', readOnly: true },
      { name: 'audit-logs', path: AUDIT_LOGS, type: 'DirectoryOrCreate' },
    ],
    probes: { ...startAndLive(target, '/livez', '/livez'), ...ready(target) },
  }
}

function controllerManager(plan: RackPlan): StaticPod {
  const target: ProbeTarget = { host: '127.0.0.1', port: 10_257, scheme: 'HTTPS' }
  return {
    component: 'kube-controller-manager',
    flags: [...elected('controller-manager'), ...controllerManagerFlags(plan, PKI)],
    mounts: [{ name: 'k8s-certs', path: PKI, type: 'Directory', readOnly: true }, config('controller-manager')],
    probes: startAndLive(target, '/healthz', '/healthz'),
  }
}

function scheduler(): StaticPod {
  const target: ProbeTarget = { host: '127.0.0.1', port: 10_259, scheme: 'HTTPS' }
  return {
    component: 'kube-scheduler',
    flags: elected('scheduler'),
    mounts: [config('scheduler')],
    probes: { ...startAndLive(target, '/livez', '/livez'), ...ready(target) },
  }
}

const elected = (part: string): readonly string[] => [
  `--kubeconfig=${KUBERNETES}/${part}.conf`,
  '--bind-address=127.0.0.1',
  '--leader-elect=true',
]

const config = (part: string): Mount => ({
  name: 'kubeconfig',
  path: `${KUBERNETES}/${part}.conf`,
  type: 'File',
  readOnly: true,
})

function startAndLive(target: ProbeTarget, startPath: string, livePath: string): object {
  const slow = { initialDelaySeconds: 10, periodSeconds: 10, timeoutSeconds: 15 }
  return {
    startupProbe: { httpGet: { ...target, path: startPath }, ...slow, failureThreshold: 24 },
    livenessProbe: { httpGet: { ...target, path: livePath }, ...slow, failureThreshold: 8 },
  }
}

const ready = (target: ProbeTarget): object => ({
  readinessProbe: {
    httpGet: { ...target, path: '/readyz' },
    periodSeconds: 1,
    timeoutSeconds: 15,
    failureThreshold: 3,
  },
})

function manifest({ component, flags, mounts, probes }: StaticPod): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: component, namespace: 'kube-system', labels: { component, tier: 'control-plane' } },
    spec: {
      hostNetwork: true,
      priority: 2_000_001_000,
      priorityClassName: 'system-node-critical',
      containers: [
        {
          name: component,
          image: 'testbed.local/kube:1',
          imagePullPolicy: 'Never',
          command: ['/kube', component, ...flags],
          env: Object.entries(LAZY_COLLECTOR).map(([name, value]) => ({ name, value })),
          resources: { requests: { cpu: CPU_REQUEST } },
          volumeMounts: mounts.map(({ name, path, readOnly = false }) => ({ name, mountPath: path, readOnly })),
          ...probes,
        },
      ],
      volumes: mounts.map(({ name, path, type }) => ({ name, hostPath: { path, type } })),
    },
  }
}
