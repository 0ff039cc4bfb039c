import { WorldError } from '../../model/world-error.ts'

/** Undefined: there is an object of this name already, since a cache may be late. */
export async function unlessThere<T>(made: Promise<T>): Promise<T | undefined> {
  try {
    return await made
  } catch (error) {
    if (error instanceof WorldError && error.code === 'KUBE_CONFLICT') return undefined
    throw error
  }
}
