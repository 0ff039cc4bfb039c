/**
 * Why a wait is ended that nothing waits for any more. Aborting without a reason builds a DOMException with its stack each
 * time, which costs many times what the wait itself does.
 */
export const OVER = new Error('nothing waits for it any more')
