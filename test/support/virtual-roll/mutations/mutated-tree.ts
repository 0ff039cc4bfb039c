import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Mutation, mutated } from './mutation.ts'

const ROOT = new URL('../../../..', import.meta.url).pathname
const COPIED = ['src', 'test', 'bin', 'deploy', 'docs', 'package.json']

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
  async mutate(mutation: Mutation): Promise<void> {
    const texts = mutated(mutation, (file) => readFileSync(join(this.root, file), 'utf8'))
    for (const [file, text] of texts) await this.write(file, text)
  }

  /** `file`: by its path from the root. */
  async write(file: string, text: string): Promise<void> {
    const path = join(this.root, file)
    this.#before.set(path, readFileSync(path, 'utf8'))
    await writeFile(path, text)
  }

  async restore(): Promise<void> {
    for (const [path, text] of this.#before) await writeFile(path, text)
    this.#before.clear()
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}
