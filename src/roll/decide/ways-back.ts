import { evenkeel, type Sentence, say } from '../../ground/model/sentence.ts'
/** What to type where a run has left a node out. Its journal may be on another machine, or lost. */
export const waysBack = (run: string): Sentence =>
  say`${evenkeel`roll resume ${run}`}, or ${evenkeel`roll abort ${run}`} (with -f roll.yaml if its journal is lost)`
