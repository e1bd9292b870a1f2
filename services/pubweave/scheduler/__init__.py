"""The scheduler: keeps what must wait more than 30 seconds, and says it again when it is due (design law 6).

Hears   delayed
Asks    nobody
Says    whatever waited, where it was going
Never   changes what it says again, and never sleeps holding a message
"""
