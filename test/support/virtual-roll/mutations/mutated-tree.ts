import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutation } from './mutation.ts'

const ROOT = new URL('../../../..', import.meta.url).pathname
const COPIED = ['src', 'test/support', 'package.json']

/** A copy of the project in a temporary folder, in which one mutation at a time is made. */
export class MutatedTree {
  readonly root: string
  readonly #before = new Map<string, string>()

  private constructor(root: string) {
    this.root = root
  }

  static async make(): Promise<MutatedTree> {
    const root = await mkdtemp(join(tmpdir(), 'evenkeel-mutations-'))
    for (const path of COPIED) await cp(join(ROOT, path), join(root, path), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    return new MutatedTree(root)
  }

  /** Throws where a text to be changed is not there exactly once: the mutation is to be written anew. */
  async mutate({ name, edits }: Mutation): Promise<void> {
    for (const { file, from, to } of edits) {
      const path = join(this.root, file)
      const text = await readFile(path, 'utf8')
      const found = text.split(from).length - 1
      if (found !== 1) throw new Error(`"${name}": ${file} has its text ${found} times`)
      if (!this.#before.has(path)) this.#before.set(path, text)
      await writeFile(
        path,
        text.replace(from, () => to),
      )
    }
  }

  async restore(): Promise<void> {
    for (const [path, text] of this.#before) await writeFile(path, text)
    this.#before.clear()
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}
