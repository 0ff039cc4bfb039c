import type { Hold } from '../../model/node-guard.ts'

/** `app=web,tier=front`. */
export const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** When a hold is clear for a node, as a sentence without a full stop. */
export function clearText(hold: Hold, node: string): string {
  switch (hold.kind) {
    case 'volumes':
      return `clear when no volume${hold.drivers.length === 0 ? '' : ` of ${hold.drivers.join(' or ')}`} is attached to ${node}`
    case 'pods':
      return `clear when no pod ${labelText(hold.selector)} of ${hold.namespace === undefined ? 'any namespace' : `namespace ${hold.namespace}`} is on ${node}`
    case 'http':
      return `clear when GET ${hold.url.replaceAll('{node}', node)} answers 2xx${
        hold.jsonPath === undefined ? '' : ` with ${hold.equals ?? ''} at ${hold.jsonPath}`
      }`
    case 'object':
      return `clear when ${hold.clearWhen}, of ${hold.resource}${hold.group === '' ? '' : `.${hold.group}`} ${
        hold.namespace === undefined ? '' : `${hold.namespace}/`
      }${hold.object.replaceAll('{node}', node)}`
    case 'annotation':
      return `clear when Node ${node} does not have the annotation ${hold.key}`
  }
}
