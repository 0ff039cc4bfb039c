/** A checker of Stryker that lets a mutant through where it is drawn, so that only these are tried. */
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check'
import type { Mutant, StrykerOptions } from '@stryker-mutator/api/core'
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import type { Sample } from './stryker-options.ts'

/** What a mutant is known by, in every run: its file by its path in the repository, lines and columns from 1. */
export interface MutantPlace {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly replacement: string
}

export function isDrawn({ seed, oneIn }: Sample, { file, line, column, replacement }: MutantPlace): boolean {
  const digest = createHash('sha256').update([seed, file, line, column, replacement].join('\n')).digest()
  return digest.readUInt32BE() % oneIn === 0
}

class DrawnMutants implements Checker {
  readonly #sample: Sample

  constructor(sample: Sample) {
    this.#sample = sample
  }

  async init(): Promise<void> {
    return
  }

  async check(mutants: readonly Mutant[]): Promise<Record<string, CheckResult>> {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#check(mutant)]))
  }

  #check({ fileName, location: { start }, replacement }: Mutant): CheckResult {
    const place = { file: relative('', fileName), line: start.line + 1, column: start.column + 1, replacement }
    return isDrawn(this.#sample, place)
      ? { status: CheckStatus.Passed }
      : { status: CheckStatus.CompileError, reason: 'not drawn' }
  }
}

const makeChecker = (options: StrykerOptions): Checker =>
  new DrawnMutants((options as unknown as { sample: Sample }).sample)
makeChecker.inject = tokens(commonTokens.options)

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'drawn', makeChecker)]
