/** Plugins that only complain on a plain machine, or write outside the node's own folders. */
const UNUSED_PLUGINS = [
  'io.containerd.snapshotter.v1.aufs',
  'io.containerd.snapshotter.v1.btrfs',
  'io.containerd.snapshotter.v1.devmapper',
  'io.containerd.snapshotter.v1.zfs',
  'io.containerd.tracing.processor.v1.otlp',
  'io.containerd.internal.v1.opt',
]

interface ContainerdFolders {
  readonly root: string
  readonly state: string
}

/** containerd that keeps images and answers `ctr`, without the part that serves kubelets. */
export function storeOnlyConfig(folders: ContainerdFolders): string {
  return common(folders, [...UNUSED_PLUGINS, 'io.containerd.grpc.v1.cri'])
}

/** containerd of a node, at the standard places. */
export function nodeConfig(cniFolder: string): string {
  return `${common({ root: '/var/lib/containerd', state: '/run/containerd' }, UNUSED_PLUGINS)}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "testbed.local/pause:1"
  disable_hugetlb_controller = true
  # Without CAP_SYS_RESOURCE runc may not lower oom_score_adj, and every pod would fail to start.
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "${cniFolder}"
  conf_dir = "/etc/cni/net.d"
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
`
}

function common({ root, state }: ContainerdFolders, disabled: readonly string[]): string {
  return `version = 2
root = "${root}"
state = "${state}"
disabled_plugins = ${JSON.stringify(disabled)}
[grpc]
  address = "${state}/containerd.sock"
`
}
