/** The addresses of a bed. All beds have the same ones: each lives in a network namespace of its own. */

/** The bridge that joins the nodes; the API server listens on it. */
export const hubAddress = '10.77.0.1'
/**
 * A bridge that is given none takes the lowest of its ports', and another one whenever that port goes: all nodes would
 * send to the old one, and none would be heard for some 14 s after one of them went dark.
 */
export const hubHardwareAddress = '02:00:0a:4d:00:01'
export const apiPort = 6443
export const serviceRange = '10.96.0.0/16'
/** The first service address, which Kubernetes gives to its own API. */
export const apiServiceAddress = '10.96.0.1'
export const dnsServiceAddress = '10.96.0.10'
export const podRange = '10.244.0.0/16'
/** A node's place in the address plan is one decimal of its last number. */
export const nodesMax = 20

/** Node names, in order: n1, n2, … */
export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `n${index + 1}`)
}

export function nodeAddress(name: string): string {
  return `10.77.0.${10 + placeOf(name)}`
}

/** The range that the pods of one node have their addresses from. */
export function nodePodRange(name: string): string {
  return `10.244.${placeOf(name)}.0/24`
}

/** A machine keeps its hardware address over a reboot, else its neighbours would go on sending to the old one. */
export function nodeHardwareAddress(name: string): string {
  return `02:00:0a:4d:00:${(10 + placeOf(name)).toString(16).padStart(2, '0')}`
}

function placeOf(name: string): number {
  const place = Number(/^n(\d+)$/.exec(name)?.[1])
  if (!(place >= 1 && place <= nodesMax)) throw new Error(`no node of a bed is named ${name}`)
  return place
}
