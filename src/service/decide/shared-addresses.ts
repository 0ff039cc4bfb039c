import { canonicalAddress } from '../../ground/model/ip-address.ts'
import type { Node } from '../../ground/model/node.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'

/**
 * The kubelet writes the addresses of its Node, and by them a node has servers, sessions to cut and a machine to reboot. Where another
 * Node of the cluster has one of them too, it is not known whose these are. A boot id alone may be shared: machines that share a kernel
 * have one, and no command reaches a machine by it.
 *
 * Law: nothing is taken out, put back, cut or rebooted for a node with an address that another Node has too.
 */
export function sharedAddresses(node: Node, nodes: readonly Node[]): readonly Reason[] {
  const known = SHARED.get(nodes)
  if (known?.node === node) return known.reasons
  const own = new Set(addressesOf(node))
  const reasons = nodes
    .filter((other) => other.name !== node.name && addressesOf(other).some((address) => own.has(address)))
    .flatMap((other) =>
      addressesOf(other)
        .filter((address) => own.has(address))
        .map((address) => shared(node.name, other.name, address)),
    )
  SHARED.set(nodes, { node, reasons })
  return reasons
}

/** By the list of nodes, which never changes: each pass asks for the node under way. */
const SHARED = new WeakMap<readonly Node[], { readonly node: Node; readonly reasons: readonly Reason[] }>()

/** A Node object never changes, and each pass asks for all of them. */
const ADDRESSES = new WeakMap<Node, readonly string[]>()

function addressesOf(node: Node): readonly string[] {
  const known = ADDRESSES.get(node) ?? node.internalAddresses.map(canonicalAddress)
  ADDRESSES.set(node, known)
  return known
}

const shared = (node: string, other: string, address: string): Reason => ({
  code: 'AddressShared',
  object: node,
  text: `${node} and ${other} both have the address ${address}, so it is not known whose servers and whose machine are there`,
  next: say`find out which of them has it (${kubectl`get nodes -o wide`}), and delete the Node of a machine that is no more`,
})
