import { WorldError } from '../../ground/model/world-error.ts'

/**
 * What a check can do without, and says so. An API server that does not answer now does not say what is there: a Corefile that was not read
 * may hide Services, and a right answer would look wrong.
 */
export async function orNote<T>(
  what: string,
  read: () => Promise<T>,
): Promise<{ readonly value?: T; readonly note?: string }> {
  try {
    return { value: await read() }
  } catch (error) {
    if (!(error instanceof WorldError) || !lasts(error)) throw error
    return { note: `${what} could not be read: ${error.message}` }
  }
}

/** It would be the same again, for want of rights or since it makes no sense. */
const lasts = ({ code, retry }: WorldError): boolean => retry === 'never' || code === 'KUBE_REPLY'
