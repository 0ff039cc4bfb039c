import type { Untrusted } from './untrusted.ts'

/** Reasons that every container has in its first moments. */
const STARTING = ['', 'ContainerCreating', 'PodInitializing']

/** Why the first container of the pod that waits does so, as its kubelet says. Undefined: none waits for more than a start. */
export function parseWaiting(object: Untrusted): string | undefined {
  const status = object.at('status')
  const waiting = [...status.at('initContainerStatuses').each(), ...status.at('containerStatuses').each()]
    .map((container) => container.at('state').at('waiting'))
    .find((state) => !STARTING.includes(state.at('reason').textOr('')))
  return (
    waiting && [waiting.at('reason').text(), waiting.at('message').textOr('')].filter((word) => word !== '').join(': ')
  )
}
