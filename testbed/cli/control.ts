import { join } from 'node:path'
import { findBed } from '../owner/registry.ts'
import { controlSocket } from '../rack/plan.ts'
import { type ControlClient, connectControl } from '../wire/control-client.ts'
import { commandLineBed } from './owner-message.ts'

const NOT_UP = 'no bed is up: npm run testbed -- up'

/** Does something with the command line's bed. */
export async function withBed<T>(act: (client: ControlClient) => Promise<T>): Promise<T> {
  const client = await connectControl(controlSocket(bedOrThrow().runtime), () => 'the bed went away')
  try {
    return await act(client)
  } finally {
    client.close()
  }
}

/** The path of the kubeconfig of the command line's bed. */
export function kubeconfigPath(): string {
  return join(bedOrThrow().disk, 'kubeconfig')
}

function bedOrThrow(): NonNullable<ReturnType<typeof findBed>> {
  const bed = findBed(commandLineBed)
  if (bed === undefined) throw new Error(NOT_UP)
  return bed
}
