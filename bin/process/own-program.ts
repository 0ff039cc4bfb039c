import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'

/** The path of each, from here; the bundler puts all of them beside the program that starts them. */
const PLACES = {
  'probe-process': '../probe-process.ts',
  'rule-process': '../rule-process.ts',
  'reboot-machine': '../demo/reboot-machine.ts',
} as const

/** A program that this program starts as another process. */
export type OwnProgram = keyof typeof PLACES

/** The first word that a single executable is given, to be that program instead of the tool. */
export const ownWord = (name: OwnProgram): `__${OwnProgram}` => `__${name}`

/** The argument that makes `process.execPath` run it: the path of a script for Node, a word for a single executable. */
export const ownProgram = (name: OwnProgram): string =>
  isSea() ? ownWord(name) : fileURLToPath(new URL(PLACES[name], import.meta.url))
