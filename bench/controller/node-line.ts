/** A line of a watch that tells of a Node, of some 9 kB, as those of clusters have: most of it is images. */
export function nodeLine(name: string, version: number): string {
  const conditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' }))
  const ready = { type: 'Ready', status: version % 2 === 0 ? 'True' : 'False', reason: 'Kubelet', message: '' }
  const images = Array.from({ length: 50 }, (_, at) => ({
    names: [`registry.example/team/image-${at}@sha256:${'0'.repeat(64)}`, `registry.example/team/image-${at}:1.${at}`],
    sizeBytes: 100_000_000 + at,
  }))
  const object = {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: String(version),
      labels: { 'kubernetes.io/hostname': name },
    },
    spec: { podCIDR: '10.244.1.0/24', taints: [] },
    status: { conditions: [...conditions, ready], images, nodeInfo: { bootID: name, kubeletVersion: 'v1.35.4' } },
  }
  return JSON.stringify({ type: 'MODIFIED', object })
}
