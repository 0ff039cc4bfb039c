import { dnsServiceAddress, nodeAddress, nodePodRange, podRange } from '../addresses.ts'
import { nodeCgroup } from '../machine/cgroups.ts'
import { controlPlaneNodes, type RackPlan, type Taint } from './plan.ts'

/** The label of a control-plane node, and its taint. */
export const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane'

/** KubeletConfiguration of a node (JSON is taken as YAML). */
export function kubeletSettings(plan: RackPlan, node: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: nodeAddress(node),
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: nodeCgroup(plan.name, node),
    failSwapOn: false,
    clusterDNS: [dnsServiceAddress],
    clusterDomain: 'cluster.local',
    staticPodPath: '/etc/kubernetes/manifests',
    tlsCertFile: '/etc/kubernetes/node.crt',
    tlsPrivateKeyFile: '/etc/kubernetes/node.key',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/ca.crt' },
    },
    authorization: { mode: 'Webhook' },
    // The machine's disk may be as full as it likes: the images are there already and the bed is short-lived.
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
      'imagefs.available': '0%',
    },
    imageGCHighThresholdPercent: 100,
    maxPods: 60,
    registerWithTaints: taintsOf(plan, node),
    nodeLeaseDurationSeconds: plan.fast ? 4 : 40,
    nodeStatusUpdateFrequency: plan.fast ? '2s' : '10s',
  }
}

function taintsOf(plan: RackPlan, node: string): readonly Taint[] {
  const isTainted = plan.stacked === 'tainted' && controlPlaneNodes(plan).includes(node)
  return isTainted ? [...plan.taints, { key: CONTROL_PLANE, effect: 'NoSchedule' }] : plan.taints
}

/** KubeProxyConfiguration of a node. */
export function proxySettings(node: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    hostnameOverride: node,
    bindAddress: '0.0.0.0',
    healthzBindAddress: `${nodeAddress(node)}:10256`,
    metricsBindAddress: '127.0.0.1:10249',
    clientConnection: { kubeconfig: '/etc/kubernetes/kube-proxy.kubeconfig' },
    detectLocalMode: 'ClusterCIDR',
    clusterCIDR: podRange,
    // These settings belong to the machine and cannot be made from a network namespace.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    iptables: { syncPeriod: '30s', minSyncPeriod: '1s' },
  }
}

/** How a node's container network is made: a bridge with routes to the other nodes, and host ports. */
export function cniSettings(node: string): object {
  return {
    cniVersion: '0.4.0',
    name: 'testbed',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: { type: 'host-local', ranges: [[{ subnet: nodePodRange(node) }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
      { type: 'portmap', capabilities: { portMappings: true }, snat: true },
    ],
  }
}

/** A server for keys only, which needs nothing of the distribution's own set-up. */
export const sshdSettings = `Port 22
HostKey /etc/evenkeel/host_key
AuthorizedKeysFile /etc/evenkeel/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
StrictModes no
MaxStartups 100
PidFile none
`
