import { plainly } from '../../src/ground/model/sentence.ts'

/** A value as it is printed: each sentence as its text. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value, plainly)) as T
