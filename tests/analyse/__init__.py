"""The room analyse: facts about queries."""
